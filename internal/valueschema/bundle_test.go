package valueschema_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmrender"
	"gitops-runtime/internal/valueschema"
)

// bundle returns the schema for editors of the umbrella chart.
func bundle(t *testing.T) (text []byte, made map[string]any) {
	t.Helper()
	text, err := valueschema.Bundle(umbrella(t))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &made))
	return text, made
}

func umbrella(t *testing.T) *helmchart.Chart {
	t.Helper()
	root, err := gomodule.Root()
	require.NoError(t, err)
	chart, err := helmchart.Load(t.Context(), helmchart.Source{Name: filepath.Join(root, "charts", "gitops-runtime")})
	require.NoError(t, err)
	return helmchart.Of(chart)
}

func TestTheBundleNamesItsChart(t *testing.T) {
	t.Parallel()
	_, made := bundle(t)
	assert.Equal(t, "urn:helm:values:gitops-runtime", made["$id"])
}

// Every path of every values.yaml has a description and its default, at the value or at the Kubernetes type that contains it.
func TestEveryPathHasDescriptionAndDefault(t *testing.T) {
	t.Parallel()
	_, made := bundle(t)
	root, err := gomodule.Root()
	require.NoError(t, err)
	chart, err := helmchart.Load(t.Context(), helmchart.Source{Name: filepath.Join(root, "charts", "gitops-runtime")})
	require.NoError(t, err)
	values, err := chartutil.CoalesceValues(chart, map[string]any{})
	require.NoError(t, err)
	count := 0
	var walk func(at map[string]any, values map[string]any, trail string)
	walk = func(at, values map[string]any, trail string) {
		properties, _ := at["properties"].(map[string]any)
		for key, value := range values {
			path := trail + "." + key
			if key == "global" && trail != "" || slices.Contains([]string{"common", "runtime-common"}, key) {
				continue // globals of the umbrella chart, and library charts, which have no values
			}
			property, known := properties[key].(map[string]any)
			if !known {
				assert.NotEqual(t, false, at["additionalProperties"], "%s is in values.yaml and not in the schema", path)
				continue
			}
			count++
			assert.NotEmpty(t, property["description"], path)
			if table, ok := value.(map[string]any); ok && property["properties"] != nil {
				walk(property, table, path)
				continue
			}
			written, set := property["default"]
			require.True(t, set, "%s has no default", path)
			assert.Equal(t, plain(t, value), written, path)
		}
	}
	walk(made, values, "")
	assert.Greater(t, count, 2000)
}

func plain(t *testing.T, value any) any {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	var made any
	require.NoError(t, json.Unmarshal(text, &made))
	return made
}

// The bundle accepts and rejects the same values as the schemas of the charts together: every values file of the repository, as it is installed, and
// two of them with one error at a time.
func TestTheBundleAgreesWithTheCharts(t *testing.T) {
	t.Parallel()
	text, _ := bundle(t)
	compiled, err := jsonschema.CompileString("bundle.json", string(text))
	require.NoError(t, err)
	root, err := gomodule.Root()
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(root, "charts", "gitops-runtime", "ci", "*-values.yaml"))
	require.NoError(t, err)
	require.Greater(t, len(files), 10)
	for _, name := range []string{"values-ha.yaml", "values-large.yaml", "values-monitoring.yaml"} {
		files = append(files, filepath.Join(root, "charts", "gitops-runtime", name))
	}
	wrong := []string{
		"{}", "argo-cd: {server: {replicsa: 2}}", "argo-cd: {server: {replicas: many}}", "argo-cd: {controller: {resources: {limit: {cpu: 1}}}}", "app-proxi: {}",
		"app-proxy: {replicaCount: []}", "argo-workflows: {controller: {tolerations: [{efect: NoSchedule}]}}", "argo-events: {crds: {install: 7}}",
		"global: {runtime: {naem: a}}", "redis: {resources: {limits: {memory: 1 Gi}}}", "argo-rollouts: {kubeVersionOverride: 1.30.0}", "tunnel-client: {tunnelServer: []}",
	}
	refused := 0
	chart, err := helmchart.Load(t.Context(), helmchart.Source{Name: filepath.Join(root, "charts", "gitops-runtime")})
	require.NoError(t, err)
	var schemas valueschema.Cache
	for _, file := range files {
		for _, more := range wrong {
			if name := filepath.Base(file); more != "{}" && name != "tunnel-values.yaml" && name != "everything-on-values.yaml" {
				continue
			}
			values := read(t, file, more)
			merged, err := chartutil.CoalesceValues(chart, values)
			require.NoError(t, err)
			want, got := helmrender.Validate(&schemas, chart, merged), compiled.Validate(plain(t, merged))
			assert.Equal(t, want == nil, got == nil, "%s with %s: the charts return %v, the bundle %v", filepath.Base(file), more, want, got)
			if got != nil {
				refused++
			} else {
				assert.NoError(t, compiled.Validate(plain(t, values)), "%s without defaults", filepath.Base(file))
			}
		}
	}
	assert.Equal(t, 2*(len(wrong)-1), refused)
}

func read(t *testing.T, file, more string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	values, above := map[string]any{}, map[string]any{}
	require.NoError(t, yaml.Unmarshal(text, &values))
	require.NoError(t, yaml.Unmarshal([]byte(more), &above))
	return chartutil.CoalesceTables(above, values)
}

// Two different definitions with the same name are both kept, and references point to the right one.
func TestDifferingDefinitions(t *testing.T) {
	t.Parallel()
	part := &helmchart.Chart{
		Name: "second", Title: "part", Defaults: map[string]any{"size": 1, "pod": map[string]any{"cpu": "1"}},
		Schema: []byte(`{"definitions": {"size": {"type": "string"}, "pod": {"properties": {"size": {"$ref": "#/definitions/size"}}}},
			"properties": {"size": {"$ref": "#/definitions/size"}, "pod": {"$ref": "#/definitions/pod"}}}`),
	}
	whole := &helmchart.Chart{
		Title: "whole", Defaults: map[string]any{"size": 2, "second": map[string]any{"size": 3}},
		Schema: []byte(`{"definitions": {"size": {"type": "integer"}, "pod": {"properties": {"size": {"$ref": "#/definitions/size"}}}},
			"properties": {"size": {"$ref": "#/definitions/size", "description": "How much"}, "second": {"description": "The other"}}}`),
		Dependencies: []helmchart.Dependency{{Chart: part}, {Chart: &helmchart.Chart{Name: "library", Title: "library"}}},
	}
	text, err := valueschema.Bundle(whole)
	require.NoError(t, err)
	var made map[string]any
	require.NoError(t, json.Unmarshal(text, &made))
	second := made["properties"].(map[string]any)["second"].(map[string]any)
	assert.Equal(t, map[string]any{
		"type": []any{"object", "null"}, "description": "The other", "properties": map[string]any{
			"size": map[string]any{"$ref": "#/definitions/part.size", "description": "Values of the chart part: size", "default": 3.0},
			"pod":  map[string]any{"$ref": "#/definitions/part.pod", "description": "Values of the chart part: pod", "default": map[string]any{"cpu": "1"}},
		},
	}, second)
	names := reflect.ValueOf(made["definitions"]).MapKeys()
	assert.True(t, slices.ContainsFunc(names, func(v reflect.Value) bool { return v.String() == "part.size" }))
	assert.Equal(t, map[string]any{"size": map[string]any{"$ref": "#/definitions/part.size"}}, made["definitions"].(map[string]any)["part.pod"].(map[string]any)["properties"])
}

func TestChartsThatHaveNoSchema(t *testing.T) {
	t.Parallel()
	for schema, want := range map[string]string{
		"":   "the chart a has no values.schema.json",
		"[]": "the schema of the chart a: json: cannot unmarshal array into Go value of type map[string]interface {}",
		"{}": "the schema of the chart a: it describes no values",
	} {
		chart := &helmchart.Chart{Title: "a", Schema: bytes.TrimSpace([]byte(schema))}
		if schema == "" {
			chart.Schema = nil
		}
		_, err := valueschema.Bundle(chart)
		assert.EqualError(t, err, strings.TrimSpace(want))
	}
}
