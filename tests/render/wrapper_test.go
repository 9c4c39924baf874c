package render_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/helmrender"
	"gitops-runtime/tests/render"
)

// wrapped are the values that each chart requires as a subchart.
var wrapped = map[string]string{
	"gitops-runtime": `
global:
  codefresh: {accountId: a1, userToken: {token: t}}
  runtime: {name: production}
`,
	"argo-cd":         "{}",
	"argo-events":     "{}",
	"argo-rollouts":   "{}",
	"argo-workflows":  "{}",
	"managed-cluster": "{namespaces: [shop]}",
	"tunnel-client":   "{global: {codefresh: {accountId: a1}, runtime: {name: production}}}",
	"tunnel-server":   "{subdomainHost: tunnels.example.com, tls: {secretName: a}, plugin: {url: https://a.example.com}}",
}

// aroundWrapped are other values of a parent chart, including those that tools such as Rancher add.
const aroundWrapped = `
global:
  myorg: {team: a, costCenter: 7}
  cattle: {systemDefaultRegistry: "", clusterId: c-1}
  region: eu
tags: {platform: true}
`

// installWrapped renders a parent chart that depends on one of the charts.
func installWrapped(t *testing.T, dependency chart.Dependency, values ...string) ([]render.Object, error) {
	t.Helper()
	subchart := load(t, dependency.Name)
	dependency.Version = subchart.Metadata.Version
	wrapper := &chart.Chart{Metadata: &chart.Metadata{APIVersion: "v2", Name: "platform", Version: "1.0.0", Dependencies: []*chart.Dependency{&dependency}}}
	wrapper.AddDependency(subchart)
	given := map[string]any{}
	for _, text := range values {
		var more map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(text), &more), text)
		given = chartutil.CoalesceTables(more, given)
	}
	rendered, err := helmrender.New(wrapper).Release(given, helmrender.Options{Name: "cf", Namespace: "codefresh"})
	if err != nil {
		return nil, err
	}
	text := rendered.Manifest
	for _, hook := range rendered.Hooks {
		text += "\n---\n" + hook.Manifest
	}
	return render.Parse(text)
}

// under returns values nested below a key, except globals.
func under(t *testing.T, key, values string) string {
	t.Helper()
	var nested map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(values), &nested))
	global := nested["global"]
	delete(nested, "global")
	text, err := yaml.Marshal(map[string]any{key: nested, "global": orEmpty(global)})
	require.NoError(t, err)
	return string(text)
}

func TestEveryChartRendersAsASubchart(t *testing.T) {
	t.Parallel()
	for name, values := range wrapped {
		for _, dependency := range []chart.Dependency{
			{Name: name, Condition: name + ".enabled", Tags: []string{"platform"}},
			{Name: name, Alias: "part", Condition: "part.enabled"},
		} {
			key := name + dependency.Alias
			t.Run(key, func(t *testing.T) {
				t.Parallel()
				key := dependency.Name
				if dependency.Alias != "" {
					key = dependency.Alias
				}
				on, err := installWrapped(t, dependency, aroundWrapped, key+": {enabled: true}\n", under(t, key, values))
				require.NoError(t, err)
				assert.NotEmpty(t, names(on))
				off, err := installWrapped(t, dependency, aroundWrapped, key+": {enabled: false}\n", under(t, key, values))
				require.NoError(t, err)
				assert.Empty(t, names(off))
			})
		}
	}
}

func orEmpty(global any) any {
	if global == nil {
		return map[string]any{}
	}
	return global
}

func names(objects []render.Object) []string {
	var all []string
	for _, object := range objects {
		all = append(all, object.GetKind()+"/"+object.GetName())
	}
	return all
}

func TestTyposInGlobalsOfAParentChartAreRejected(t *testing.T) {
	t.Parallel()
	for typo, key := range map[string]string{"codefrsh": "codefresh", "runtme": "runtime", "imageRegistri": "imageRegistry", "event_reporters": "event-reporters"} {
		dependency := chart.Dependency{Name: "gitops-runtime", Condition: "gitops-runtime.enabled"}
		_, err := installWrapped(t, dependency, strings.Replace(wrapped["gitops-runtime"], "global:\n", "global:\n  "+typo+": {}\n", 1))
		assert.ErrorContains(t, err, "Did you mean "+key+"?", typo)
	}
}
