package runtime

import (
	"fmt"

	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/images"
)

// Values are the values of a local install in a mode, as YAML: what the README tells a user to give, and the addresses
// and the CA of the platform's stand-in. platformCA is PEM.
func Values(name images.Mode, platformCA []byte) ([]byte, error) {
	mode, err := lookUpMode(name)
	if err != nil {
		return nil, err
	}
	common := map[string]any{
		"global": map[string]any{
			"codefresh": map[string]any{
				"url":       "https://" + PlatformHost,
				"accountId": AccountID,
				"userToken": map[string]any{"token": UserToken},
				"tls":       map[string]any{"caCerts": map[string]any{"secret": map[string]any{"create": true, "content": string(platformCA)}}},
			},
			"runtime": map[string]any{
				"name": Name,
				// one node bears one server of the event bus
				"eventBus": map[string]any{"jetstream": map[string]any{"replicas": 1}},
			},
		},
	}
	out, err := yaml.Marshal(chartutil.MergeTables(mode.values, common))
	if err != nil {
		return nil, fmt.Errorf("values of mode %s: %w", name, err)
	}
	return out, nil
}
