package valueschema_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/valueschema"
)

// rules has one rule of each kind.
const rules = `{
 "type": "object", "additionalProperties": false, "required": ["name"],
 "patternProperties": {"^x-": {}},
 "definitions": {"port": {"type": "integer", "minimum": 1, "maximum": 65535}},
 "properties": {
  "name": {"type": "string", "minLength": 1, "maxLength": 5, "pattern": "^[a-z]*$"},
  "size": {"enum": ["small", "large", 3]},
  "fixed": {"const": true},
  "port": {"$ref": "#/definitions/port"},
  "period": {"type": ["integer", "string", "null"], "pattern": "\\{\\{"},
  "ratio": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "multipleOf": 0.25},
  "hosts": {"type": ["array", "null"], "minItems": 1, "maxItems": 2, "uniqueItems": true, "items": {"type": "string"}},
  "nested": {"type": "object", "properties": {"replicas": {"type": "integer"}}, "additionalProperties": false},
  "choice": {"oneOf": [
    {"type": "object", "required": ["token"], "properties": {"token": {"type": "string"}}, "additionalProperties": false},
    {"type": "object", "required": ["ref"], "properties": {"ref": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}}, "additionalProperties": false}]},
  "when": {"type": "object", "if": {"properties": {"tls": {"const": true}}, "required": ["tls"]}, "then": {"required": ["host"]}},
  "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
  "never": {"not": {"type": "string"}}
 }}`

var kinds = map[valueschema.Kind]string{
	valueschema.Unknown: "unknown", valueschema.Type: "type", valueschema.Range: "range", valueschema.Missing: "missing", valueschema.Other: "other",
}

var corpus = []struct{ values, want string }{
	{"name: abc", ""},
	{"x-any: 1", "name missing"},
	{"name: abc\nprot: 1", "prot unknown port"},
	{"name: abc\nzzzzzz: 1\nx-fine: 1", "zzzzzz unknown"},
	{"name: 1", "name type a string, got a whole number"},
	{"name: ''", "name range it needs at least 1 characters"},
	{"name: abcdef", "name range it may have 5 characters at most"},
	{"name: A1", "name range it has to match ^[a-z]*$"},
	{"name: a\nsize: medium", `size range it has to be one of "small", "large", 3`},
	{"name: a\nfixed: false", "fixed range it has to be true"},
	{"name: a\nperiod: '5'", "period type a whole number, got a string"},
	{"name: a\nperiod: '{{ 5 }}'", ""},
	{"name: a\nport: 0", "port range it has to be 1 or more"},
	{"name: a\nport: 70000", "port range it has to be 65535 or less"},
	{"name: a\nport: 1.5", "port type a whole number, got a number"},
	{"name: a\nratio: 0", "ratio range it has to be more than 0"},
	{"name: a\nratio: 1", "ratio range it has to be less than 1"},
	{"name: a\nratio: 0.3", "ratio range it has to be a multiple of 1/4"},
	{"name: a\nhosts: []", "hosts range it needs at least 1 items"},
	{"name: a\nhosts: [a, a, b]", "hosts range it has an item twice; hosts range it may have 2 items at most"},
	{"name: a\nhosts: [1]", "hosts/0 type a string, got a whole number"},
	{"name: a\nhosts: x", "hosts type a list or null, got a string"},
	{"name: a\nnested: {replica: 1}", "nested/replica unknown replicas"},
	{"name: a\nnested: []", "nested type a map, got a list"},
	{"name: a\nchoice: {ref: {}}", "choice/ref/name missing"},
	{"name: a\nchoice: {token: 5}", "choice/token type a string, got a whole number"},
	{"name: a\nwhen: {tls: true}", "when/host missing"},
	{"name: a\nwhen: {tls: false}", ""},
	{"name: a\neither: null", "either type a string, got null"},
	{"name: a\nnever: text", "never other not"},
	{"name: 1\nport: x\nzzzzzz: 1", "name type a string, got a whole number; port type a whole number, got a string; zzzzzz unknown"},
}

func TestViolations(t *testing.T) {
	compiled, err := valueschema.Compile([]byte(rules))
	require.NoError(t, err)
	for _, c := range corpus {
		violations, err := compiled.Violations(parse(t, c.values))
		require.NoError(t, err)
		assert.Equal(t, c.want, describe(violations))
	}
}

func describe(violations []valueschema.Violation) string {
	var lines []string
	for _, v := range violations {
		line := strings.TrimSpace(strings.Join(v.Path, "/") + " " + kinds[v.Kind] + " " + v.Want)
		if v.Got != "" {
			line += ", got " + v.Got
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

// Helm uses a newer version of the schema library; both versions agree on which values are valid.
func TestAgreesWithHelmsLibrary(t *testing.T) {
	check := func(t *testing.T, rules string, trees ...map[string]any) {
		t.Helper()
		compiled, err := valueschema.Compile([]byte(rules))
		require.NoError(t, err)
		for _, tree := range trees {
			violations, err := compiled.Violations(tree)
			require.NoError(t, err)
			other := chartutil.ValidateAgainstSingleSchema(tree, []byte(rules))
			assert.Equal(t, other == nil, len(violations) == 0, "%v: ours %s, Helm's %v", tree, describe(violations), other)
		}
	}
	var trees []map[string]any
	for _, c := range corpus {
		trees = append(trees, parse(t, c.values))
	}
	check(t, rules, trees...)
	files, _ := filepath.Glob("../../charts/*/values.schema.json")
	for _, file := range files {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			defaults, err := os.ReadFile(filepath.Join(filepath.Dir(file), "values.yaml"))
			require.NoError(t, err)
			check(t, string(text), parse(t, string(defaults)), parse(t, "global: 1"), parse(t, "noSuchValue: {}"), parse(t, "{}"))
		})
	}
}

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	tree := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &tree))
	return tree
}

func TestCompileErrors(t *testing.T) {
	for text, want := range map[string]string{
		"{":                             "values.schema.json: ",
		`{"type": 7}`:                   "values.schema.json is not a schema",
		`{"$ref": "https://x.invalid"}`: "only references within the file are followed",
	} {
		_, err := valueschema.Compile([]byte(text))
		assert.ErrorContains(t, err, want, text)
	}
}
