package render_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/render"
)

// toggles returns the 16 combinations of enabled Argo projects.
func toggles() []map[string]string {
	projects := []string{"argo-cd", "argo-events", "argo-rollouts", "argo-workflows"}
	var sets []map[string]string
	for bits := range 1 << len(projects) {
		set := map[string]string{}
		for i, project := range projects {
			set[project+".enabled"] = strconv.FormatBool(bits&(1<<i) != 0)
		}
		set["app-proxy.image-enrichment.enabled"] = set["argo-workflows.enabled"]
		sets = append(sets, set)
	}
	return sets
}

func TestComponentsFollowTheirProjects(t *testing.T) {
	t.Parallel()
	for _, set := range toggles() {
		t.Run(fmt.Sprint(set), func(t *testing.T) {
			t.Parallel()
			objects := umbrella("tunnel", set).Objects(t)
			components := []string{
				"app-proxy", "codefresh-tunnel-client", "gitops-operator", "internal-router", "sealed-secrets",
				"argo-gateway", "runtime-event-reporter", "cluster-event-reporter",
			}
			// without an Argo CD of its own, the runtime uses one at the default addresses
			components = append(components, map[string]string{"true": "argocd", "false": "event-reporter"}[set["argo-cd.enabled"]])
			for _, project := range []string{"argo-events", "argo-rollouts"} {
				if set[project+".enabled"] == "true" {
					components = append(components, project)
				}
			}
			if set["argo-workflows.enabled"] == "true" {
				components = append(components, "argo-workflows", "workflow-reporter")
			}
			assert.Empty(t, render.Names(objects, "EventBus", "EventSource", "Sensor"))

			var listed []struct{ Name string }
			require.NoError(t, yaml.Unmarshal([]byte(render.Find(objects, "ConfigMap", "codefresh-cm").Object["data"].(map[string]any)["components"].(string)), &listed))
			var names []string
			for _, component := range listed {
				names = append(names, component.Name)
			}
			assert.ElementsMatch(t, components, names)
			for _, reporter := range []string{"runtime-event-reporter", "cluster-event-reporter"} {
				assert.NotNil(t, render.Find(objects, "Deployment", reporter), reporter)
			}
		})
	}
}

func TestImageEnrichmentNeedsWorkflows(t *testing.T) {
	t.Parallel()
	_, err := umbrella("tunnel", map[string]string{"argo-workflows.enabled": "false"}).Text(t)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "--set app-proxy.image-enrichment.enabled=false, or enable argo-workflows")
}
