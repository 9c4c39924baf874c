package dashboards_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/render"
)

// Every alert has a row in docs/monitoring.md, to which it links if a page is set.
func TestAlertsLinkToTheirRunbook(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(root, "docs", "monitoring.md"))
	require.NoError(t, err)
	rules := func(runbook string) []any {
		objects := render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}, Set: map[string]string{"monitoring.enabled": "true", "monitoring.rules.runbook": runbook}}.Objects(t)
		groups, found, err := unstructured.NestedSlice(render.Find(objects, "PrometheusRule", "gitops-runtime").Object, "spec", "groups")
		require.True(t, found && err == nil)
		return groups[0].(map[string]any)["rules"].([]any)
	}
	linked := rules("https://wiki.example.com/alerts")
	assert.Len(t, linked, strings.Count(string(page), `<a id="runtime`))
	for _, rule := range linked {
		name, _, err := unstructured.NestedString(rule.(map[string]any), "alert")
		require.NoError(t, err)
		url, _, err := unstructured.NestedString(rule.(map[string]any), "annotations", "runbook_url")
		require.NoError(t, err)
		assert.Equal(t, "https://wiki.example.com/alerts#"+strings.ToLower(name), url)
		assert.Contains(t, string(page), `<a id="`+strings.ToLower(name)+`"></a>`+"`"+name+"`")
	}
	for _, rule := range rules("") {
		assert.NotContains(t, rule.(map[string]any)["annotations"], "runbook_url", "a page that nobody set")
	}
}
