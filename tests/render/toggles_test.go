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

// toggles are the sixteen ways of having the four Argo projects on and off.
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

func TestReportersFollowTheirProjects(t *testing.T) {
	t.Parallel()
	for _, set := range toggles() {
		t.Run(fmt.Sprint(set), func(t *testing.T) {
			t.Parallel()
			objects := umbrella("tunnel", set).Objects(t)
			reporters, components := []string{}, []string{"app-proxy", "gitops-operator", "internal-router", "tunnel-client"}
			if set["argo-cd.enabled"] == "true" {
				components = append(components, "argo-gateway")
			}
			for _, project := range []string{"argo-cd", "argo-events", "argo-rollouts", "argo-workflows"} {
				if set[project+".enabled"] == "true" {
					components = append(components, project)
				}
			}
			for _, reporter := range []struct{ name, project string }{{"events-reporter", "argo-cd"}, {"rollout-reporter", "argo-rollouts"}, {"workflow-reporter", "argo-workflows"}} {
				if set["argo-events.enabled"] == "true" && set[reporter.project+".enabled"] == "true" {
					reporters = append(reporters, "EventSource/"+reporter.name, "Sensor/"+reporter.name)
					components = append(components, reporter.name)
				}
			}
			assert.ElementsMatch(t, reporters, render.Names(objects, "EventSource", "Sensor"))

			var listed []string
			require.NoError(t, yaml.Unmarshal([]byte(render.Find(objects, "ConfigMap", "codefresh-cm").Object["data"].(map[string]any)["components"].(string)), &listed))
			assert.ElementsMatch(t, components, listed)
		})
	}
}

func TestImageEnrichmentNeedsWorkflows(t *testing.T) {
	t.Parallel()
	_, err := umbrella("tunnel", map[string]string{"argo-workflows.enabled": "false"}).Text(t)
	require.Error(t, err)
	assert.Contains(t, err.Error(), "--set app-proxy.image-enrichment.enabled=false, or enable argo-workflows")
}
