package render

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/gomodule"
)

// Whole numbers in quotes render as those without, as in the community's charts, with everything enabled that has such a number.
func TestQuotedNumbers(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	for chart, enabled := range map[string]string{
		"argo-cd": `{commitServer: {enabled: true, metrics: {enabled: true}}, dex: {enabled: true, metrics: {enabled: true}},
			server: {autoscaling: {enabled: true}, metrics: {enabled: true}, service: {type: NodePort}, certificate: {enabled: true}},
			repoServer: {autoscaling: {enabled: true}, metrics: {enabled: true}}, applicationSet: {metrics: {enabled: true}, certificate: {enabled: true}},
			controller: {metrics: {enabled: true}}, notifications: {metrics: {enabled: true}}, redis: {metrics: {enabled: true}, exporter: {enabled: true}}}`,
		"argo-rollouts":  "{dashboard: {enabled: true}, controller: {metrics: {enabled: true}}}",
		"argo-workflows": "{server: {autoscaling: {enabled: true}}, controller: {metricsConfig: {enabled: true}}}",
		"argo-events":    "{webhook: {enabled: true}, controller: {metrics: {enabled: true}}}",
	} {
		text, err := os.ReadFile(filepath.Join(root, "charts", chart, "values.schema.json"))
		require.NoError(t, err)
		var schema map[string]any
		require.NoError(t, json.Unmarshal(text, &schema))
		found := 0
		var rendered []string
		for _, seven := range []any{7, "7"} {
			var values map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(enabled), &values))
			set := map[string]string{}
			for key, value := range chartutil.CoalesceTables(values, numbers(schema, seven, &found)) {
				text, err := json.Marshal(value)
				require.NoError(t, err)
				set[key] = string(text)
			}
			text, err := Release{Chart: chart, SetJSON: set}.Text(t)
			require.NoError(t, err, chart)
			rendered = append(rendered, text)
		}
		assert.Greater(t, found, 20, chart)
		assert.Equal(t, rendered[0], rendered[1], chart)
	}
	_, err = Release{Chart: "argo-cd", SetJSON: map[string]string{"server": `{"replicas": "two"}`}}.Text(t)
	assert.ErrorContains(t, err, "/server/replicas")
}

// numbers returns values that set each whole number of a schema that may be in quotes.
func numbers(schema map[string]any, value any, found *int) map[string]any {
	made := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	for key, each := range properties {
		node, _ := each.(map[string]any)
		kinds, _ := node["type"].([]any)
		if slices.Contains(kinds, any("integer")) && node["pattern"] == "^-?[0-9]+$" {
			made[key] = value
			*found++
		} else if below := numbers(node, value, found); len(below) > 0 {
			made[key] = below
		}
	}
	return made
}
