package schema

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/generated"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/testkit"
)

func TestSchemasMatchTheValues(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	convert, err := Tool(t.Context(), root)
	require.NoError(t, err)
	kubernetes, err := Kubernetes(t.Context(), root)
	require.NoError(t, err)
	files, err := Generate(t.Context(), root, convert, kubernetes)
	require.NoError(t, err)
	drift, err := generated.Drift(root, files)
	require.NoError(t, err)
	assert.Empty(t, drift)
	for _, file := range files {
		if filepath.Ext(file.Path) != ".json" {
			continue
		}
		assert.NotRegexp(t, `"\$ref": "[^#]`, string(file.Text), "%s is not self-contained", file.Path)
		defaults, err := chartutil.ReadValuesFile(filepath.Join(root, filepath.Dir(file.Path), "values.yaml"))
		require.NoError(t, err)
		assert.NoError(t, chartutil.ValidateAgainstSingleSchema(defaults, file.Text), "%s rejects the defaults of the chart", file.Path)
	}
}

// library has the files of a parent chart, a subchart and a library chart.
func library(t *testing.T) string {
	t.Helper()
	return testkit.Folder(t, map[string]string{
		"schema/definitions/image.json": `{"type":"object","properties":{"tag":{"type":"string"},"digest":{"type":"string"}},"additionalProperties":false}`,
		"schema/definitions/part.json":  `{"type":"object","properties":{"image":{"$ref":"image"},"replicas":{"type":"integer"}},"additionalProperties":false}`,
		"charts/common/Chart.yaml":      "name: common\ntype: library\n",
		"charts/common/values.yaml":     "{}\n",
		"charts/child/Chart.yaml":       "name: child\ndependencies: [{name: common, repository: file://../common}]\n",
		"charts/child/values.yaml":      child,
		"charts/a-parent/Chart.yaml":    "name: a-parent\ndependencies: [{name: common}, {name: child, condition: child.enabled}]\n",
		"charts/a-parent/values.yaml":   parent,
		"charts/b-parent/Chart.yaml":    "name: b-parent\ndependencies: [{name: child}]\n",
		"charts/b-parent/values.yaml":   "child: {enabled: true}\nglobal: {}\n",
		"charts/unwritten/Chart.yaml":   "name: unwritten\n",
	})
}

const child = `
# @schema $ref: part
# -- A part
part:
  # -- Pods
  replicas: 1
  # -- Switch that only this part has
  fast: false
free: {}
level: info # @schema enum: [info, debug]
containers:
  - {name: a}
global:
  # -- Registry
  imageRegistry: ""
  proxy: {host: ""}
`

const parent = `
# -- The child
child:
  part: {replicas: 2}
global:
  # -- URL
  url: "" # @schema pattern: ^(https://.+)?$
  # -- Mirror
  mirror: ""
`

func schemas(t *testing.T) map[string][]byte {
	t.Helper()
	root, err := gomodule.Root()
	require.NoError(t, err)
	convert, err := Tool(t.Context(), root)
	require.NoError(t, err)
	files, err := Generate(t.Context(), library(t), convert, Types{})
	require.NoError(t, err)
	found := map[string][]byte{}
	for _, file := range files {
		found[file.Path] = file.Text
	}
	assert.Len(t, found, 3)
	return found
}

func TestValuesThatSchemasAcceptAndReject(t *testing.T) {
	byPath := schemas(t)
	for name, tc := range map[string]struct{ chart, values, refused string }{
		"defaults of the child":            {"child", child, ""},
		"defaults of the parent":           {"a-parent", parent, ""},
		"what the definition adds":         {"child", "part: {image: {tag: a, digest: b}}", ""},
		"what the values add":              {"child", "part: {fast: true}", ""},
		"a typo in a part":                 {"child", "part: {replica: 1}", "replica"},
		"a typo in a definition":           {"child", "part: {image: {tags: a}}", "tags"},
		"a typo at the root":               {"child", "parts: {}", "parts"},
		"another type":                     {"child", "part: {replicas: many}", "replicas"},
		"null deletes a default":           {"child", "{part: {replicas: null}, global: {imageRegistry: null, proxy: {}}, free: null, level: null, containers: null}", ""},
		"null deletes no table":            {"child", "{free: {}, level: info, containers: [], global: {proxy: {}}}", "part"},
		"null deletes no inner table":      {"child", "{part: {}, level: info, containers: [], global: {}}", "proxy"},
		"a file has what it has":           {"child", "{free: {}, level: info}", ""},
		"a subchart keeps its switch":      {"b-parent", "{child: {part: {}}, global: {}}", "enabled"},
		"null deletes a definition's":      {"child", "part: {image: {tag: null}}", ""},
		"an empty map is free":             {"child", "free: {a: {b: 1}}", ""},
		"items may have other keys":        {"child", "containers: [{name: a, image: b}]", ""},
		"items keep their type":            {"child", "containers: [a]", "containers"},
		"enum":                             {"child", "level: loud", "level"},
		"the parent's condition":           {"child", "enabled: false", ""},
		"any global in a subchart":         {"child", "global: {other: {a: 1}, proxy: {port: 1}}", ""},
		"a subchart's value in the parent": {"a-parent", "child: {anything: 1}", ""},
		"the library's empty values":       {"a-parent", "common: {global: {}}", ""},
		"a global of the parent":           {"a-parent", "global: {url: https://x}", ""},
		"a wrong global of the parent":     {"a-parent", "global: {url: x}", "url"},
		"a global of a subchart":           {"a-parent", "global: {imageRegistry: r, proxy: {port: 1}, mirror: m}", ""},
		"a global of another chart":        {"a-parent", "global: {mine: {a: 1}, urls: [a]}", ""},
		"a typo of a global":               {"a-parent", "global: {miror: r}", "Did you mean mirror?"},
		"the grandparent's condition":      {"a-parent", "{enabled: false, tags: {a: true}, global: {}}", ""},
		"a tag that is none":               {"a-parent", "tags: {a: b}", "tags"},
		"a wrong type of a child's global": {"a-parent", "global: {imageRegistry: [r]}", "imageRegistry"},
	} {
		t.Run(name, func(t *testing.T) {
			var values map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(tc.values), &values))
			err := chartutil.ValidateAgainstSingleSchema(values, byPath["charts/"+tc.chart+"/values.schema.json"])
			if tc.refused == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, tc.refused)
		})
	}
}

func TestGenerateNamesTheUnknownReference(t *testing.T) {
	root := library(t)
	convert := func(_ context.Context, file string) (Node, error) {
		return Node{"properties": Node{"x": Node{"$ref": "./imag.json"}}}, nil
	}
	_, err := Generate(t.Context(), root, convert, Types{})
	assert.EqualError(t, err, filepath.Join(root, "charts/child/values.yaml")+
		": x: $ref: ./imag.json is not a shared definition; the shared definitions are image, part")
}

func TestADefinitionMayNotReferToItself(t *testing.T) {
	shared := definitions{
		"a": Node{"properties": Node{"b": Node{"$ref": "b", "properties": Node{"c": Node{}}}}},
		"b": Node{"properties": Node{"a": Node{"$ref": "a", "properties": Node{"c": Node{}}}}},
	}
	err := shared.link(Node{"$ref": "a", "properties": Node{"c": Node{}}})
	assert.EqualError(t, err, "b: a: shared definition a refers to itself")
}

func TestADefinitionCanBeNestedInItself(t *testing.T) {
	shared := definitions{"a": Node{"properties": Node{"pods": Node{"type": "integer"}}}}
	node := Node{"$ref": "a", "properties": Node{"proxy": Node{"$ref": "a", "properties": Node{"port": Node{}}}}}
	require.NoError(t, shared.link(node))
	pods := Node{"type": "integer"}
	assert.Equal(t, Node{"properties": Node{"pods": pods, "proxy": Node{"properties": Node{"pods": pods, "port": Node{}}}}}, node)
}

func TestAReferenceAloneIsKept(t *testing.T) {
	shared := definitions{
		"list":           Node{"items": Node{"$ref": "kubernetes:One"}},
		"more":           Node{"$ref": "kubernetes:One", "properties": Node{"enabled": Node{}}},
		"kubernetes:One": Node{"properties": Node{"name": Node{}}},
	}
	node := Node{"properties": Node{"a": Node{"$ref": "list", "description": "A list"}, "b": Node{"$ref": "more", "type": "object"}, "c": Node{"$ref": "list"}}}
	require.NoError(t, shared.link(node))
	assert.Equal(t, Node{
		"properties": Node{"a": Node{"$ref": "#/definitions/list", "description": "A list"}, "b": Node{"$ref": "#/definitions/more"}, "c": Node{"$ref": "#/definitions/list"}},
		"definitions": Node{
			"list": Node{"items": Node{"$ref": "#/definitions/One"}},
			"One":  Node{"properties": Node{"name": Node{}}},
			"more": Node{"properties": Node{"name": Node{}, "enabled": Node{}}},
		},
	}, node)
}

func TestToolNamesTheUnreadableFile(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	convert, err := Tool(t.Context(), root)
	require.NoError(t, err)
	_, err = convert(t.Context(), filepath.Join(t.TempDir(), "values.yaml"))
	assert.ErrorContains(t, err, "values.yaml")
	_, err = Tool(t.Context(), t.TempDir())
	assert.ErrorContains(t, err, "build helm-values-schema-json")
}
