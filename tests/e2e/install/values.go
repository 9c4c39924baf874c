package install

import (
	"fmt"

	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/e2e/images"
)

// Values returns the values of a local install in a mode, as YAML: those that the README requires from a user, and the addresses and the CA of the
// platform's stand-in. platformCA is PEM. With defaultRequests every program requests what the chart says, instead of what stand-ins need.
func Values(name images.Mode, platformCA []byte, defaultRequests bool) ([]byte, error) {
	mode, err := lookUpMode(name)
	if err != nil {
		return nil, err
	}
	small := smallRequests
	if defaultRequests {
		small = func() map[string]any { return map[string]any{} }
	}
	common := map[string]any{
		"global": map[string]any{
			"codefresh": map[string]any{
				"url":       "https://" + PlatformHost,
				"accountId": AccountID,
				"userToken": map[string]any{"token": UserToken},
				"tls":       map[string]any{"caCerts": map[string]any{"secret": map[string]any{"create": true, "content": string(platformCA)}}},
			},
			"runtime":         map[string]any{"name": Name},
			"event-reporters": small(),
		},
		// the stand-ins need few resources, and the node is small
		"gitops-operator": small(),
		"argo-gateway":    chartutil.MergeTables(map[string]any{"hpa": map[string]any{"enabled": false}}, small()), // the cluster has no metrics API
		"app-proxy":       chartutil.MergeTables(map[string]any{"leader-elector": small(), "initContainer": small()}, small()),
		// two pods of each program of values-ha.yaml fit on the node, in addition to the cluster's pods
		"internal-router": small(),
		"sealed-secrets":  small(),
	}
	out, err := yaml.Marshal(chartutil.MergeTables(mode.values, common))
	if err != nil {
		return nil, fmt.Errorf("values of mode %s: %w", name, err)
	}
	return out, nil
}

// smallRequests returns values with the requests of a program that needs few resources.
func smallRequests() map[string]any {
	return map[string]any{"resources": map[string]any{"requests": map[string]any{"cpu": "10m", "memory": "16Mi"}}}
}
