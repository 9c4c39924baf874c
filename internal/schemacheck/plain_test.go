package schemacheck_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/mutate"
	"gitops-runtime/internal/schemacheck"
)

// plainRules has every keyword that is evaluated without the library.
const plainRules = `{"$schema": "http://json-schema.org/draft-07/schema#",
 "type": "object", "additionalProperties": false, "required": ["name"], "title": "t",
 "properties": {
  "name": {"type": "string", "minLength": 1, "maxLength": 5, "pattern": "^[a-zé]*$", "description": "d", "examples": ["a"]},
  "size": {"enum": ["small", "large", 3, null, true, 1.0, 9007199254740993, [1], {"a": 1}]},
  "fixed": {"const": true, "default": 7},
  "list": {"const": [1]},
  "port": {"type": ["integer", "null"], "minimum": 1, "maximum": 65535, "$comment": "c"},
  "hosts": {"type": ["array", "null"], "minItems": 1, "maxItems": 2, "items": {"type": "string"}},
  "nested": {"type": "object", "properties": {"replicas": {"type": "integer"}, "any": {}, "never": false}, "additionalProperties": {"type": "number"}},
  "either": {"anyOf": [{"type": "string"}, {"type": "object", "required": ["x"]}]},
  "both": {"allOf": [{"type": "number"}, {"minimum": 2}]},
  "few": {"minProperties": 1, "maxProperties": 1},
  "choice": {"if": {"type": "object", "minProperties": 1}, "then": {"required": ["x"], "properties": {"x": {"type": "string"}}}, "else": {"type": ["string", "object"]}},
  "half": {"if": {"const": [1]}, "then": {"type": "array", "maxItems": 0}},
  "unique": {"type": "array", "uniqueItems": true},
  "named": {"properties": {"x": {}}, "patternProperties": {"^rep": {"type": "integer"}, "s$": {"const": "a"}}, "additionalProperties": {"type": "string"}},
  "shared": {"$ref": "#/definitions/shared", "type": "string"},
  "lists": {"items": {"$ref": "#/definitions/number"}, "anyOf": [{"$ref": "#/definitions/shared"}, {"type": "array"}]}
 },
 "definitions": {
  "shared": {"type": "object", "additionalProperties": false, "properties": {"x": {"$ref": "#/definitions/number"}, "replicas": {"$ref": "#/definitions/number"}}},
  "number": {"type": ["number", "null"]}
 },
 "if": {"minProperties": 2}, "then": {"properties": {"nested": {"required": ["replicas"]}}}}`

// whole compiles a schema that the library evaluates completely.
func whole(t testing.TB, rules string) *schemacheck.Schema {
	t.Helper()
	return compile(t, strings.Replace(rules, "{", `{"readOnly": true,`, 1))
}

func compile(t testing.TB, rules string) *schemacheck.Schema {
	t.Helper()
	compiled, err := schemacheck.Compile([]byte(rules))
	require.NoError(t, err)
	return compiled
}

// samples are values of every type and around every limit.
var samples = []string{
	`null`, `true`, `false`, `""`, `"a"`, `"ééééé"`, `"abcdef"`, `"A"`, `0`, `1`, `1.0`, `1.5`, `2`, `3`, `65535`, `65536`, `-1`, `1e30`,
	`9007199254740992`, `9007199254740993`, `[]`, `[1]`, `["a"]`, `["a", 1]`, `["a", "b", "c"]`, `{}`, `{"a": 1}`, `{"x": 1}`,
	`{"replicas": 1}`, `{"replicas": "1"}`, `{"replica": 1.5}`, `{"replica": "x"}`, `{"any": [{}], "never": 1}`, `"small"`, `"medium"`,
}

func TestPlainRulesAreReadAsTheLibraryReadsThem(t *testing.T) {
	plain, library := compile(t, plainRules), whole(t, plainRules)
	for _, key := range []string{"name", "size", "fixed", "list", "port", "hosts", "nested", "either", "both", "few", "choice", "half", "unique", "named", "shared", "lists", "other", "nam"} {
		for _, sample := range samples {
			for _, text := range []string{`{"name": "a", "` + key + `": ` + sample + `}`, `{"` + key + `": ` + sample + `}`, sample} {
				agree(t, plain, library, decode(t, text), text)
			}
		}
	}
}

// Compiling a schema with the library takes longer than all other parts of a run.
func TestSchemasOfTheChartsNeedNoLibrary(t *testing.T) {
	files, err := filepath.Glob("../../charts/*/values.schema.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.NotEmpty(t, compile(t, string(text)).Keys(), "%s has a keyword that needs the library", file)
	}
}

func TestReferencesThatAreLeftToTheLibrary(t *testing.T) {
	for _, rules := range []string{
		`{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"$ref": "#/definitions/a"}}, "definitions": {"a": {"properties": {"a": {"$ref": "#/definitions/a"}}}}}`,
		`{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"type": "string"}, "b": {"$ref": "#/properties/a"}}}`,
		`{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"$ref": "#"}}}`,
	} {
		assert.Empty(t, compile(t, rules).Keys(), "%s is evaluated without the library", rules)
	}
}

func decode(t testing.TB, text string) any {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal([]byte(text), &value))
	return value
}

func agree(t testing.TB, plain, library *schemacheck.Schema, value any, about string) {
	t.Helper()
	got, err := plain.Violations(value)
	require.NoError(t, err, about)
	want, err := library.Violations(value)
	require.NoError(t, err, about)
	assert.Equal(t, want, got)
}

// The schemas of the charts, with defaults of which some are replaced by invalid values.
func TestChartsAreReadAsTheLibraryReadsThem(t *testing.T) {
	files, err := filepath.Glob("../../charts/*/values.schema.json")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 6)
	for _, file := range files {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			rules, err := os.ReadFile(file)
			require.NoError(t, err)
			defaults, err := os.ReadFile(filepath.Join(filepath.Dir(file), "values.yaml"))
			require.NoError(t, err)
			plain, library := compile(t, string(rules)), whole(t, string(rules))
			agree(t, plain, library, parse(t, string(defaults)), "defaults")
			random := rand.New(rand.NewPCG(1, 2))
			for range 25 {
				values := parse(t, string(defaults))
				about := spoil(t, values, random)
				agree(t, plain, library, values, about)
			}
		})
	}
}

// spoil replaces a few values with samples and returns their paths.
func spoil(t testing.TB, values any, random *rand.Rand) string {
	var about []string
	for range 1 + random.IntN(4) {
		at, name := values.(map[string]any), ""
		for {
			keys := slices.Sorted(maps.Keys(at))
			if len(keys) == 0 {
				break
			}
			key := keys[random.IntN(len(keys))]
			name += "." + key
			if below, isMap := at[key].(map[string]any); isMap && len(below) > 0 && random.IntN(5) > 0 {
				at = below
				continue
			}
			sample := samples[random.IntN(len(samples))]
			at[key] = decode(t, sample)
			about = append(about, name+"="+sample)
			break
		}
	}
	return strings.Join(about, " ")
}

// The library evaluates schemas that are not plain, and reports invalid ones.
func TestOddSchemasGoThroughTheLibrary(t *testing.T) {
	const head = `{"$schema": "http://json-schema.org/draft-07/schema#", `
	for _, odd := range []string{
		head + `"type": 7}`, head + `"type": []}`, head + `"type": ["string", "string"]}`, head + `"type": "text"}`,
		head + `"properties": []}`, head + `"properties": {"a": 1}}`, head + `"required": ["a", "a"]}`, head + `"required": "a"}`,
		head + `"minimum": "1"}`, head + `"minLength": -1}`, head + `"pattern": "("}`, head + `"anyOf": []}`, head + `"enum": 1}`,
		head + `"title": 1}`, head + `"items": 1}`, head + `"additionalProperties": 1}`, head + `"examples": 1}`, head + `"allOf": [1]}`, head + `"if": 1}`, head + `"minProperties": "1"}`,
	} {
		_, err := schemacheck.Compile([]byte(odd))
		assert.ErrorContains(t, err, "values.schema.json is not a schema", odd)
	}
	for _, fine := range []string{`true`, `{}`, head + `"items": [{"type": "string"}]}`, head + `"not": false}`, `{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}`} {
		violations, err := compile(t, fine).Violations(map[string]any{})
		require.NoError(t, err, fine)
		assert.Empty(t, violations, fine)
	}
	_, err := schemacheck.Compile([]byte(`{} {}`))
	assert.Error(t, err, "two documents are compiled as a schema")
}

// The result is that of the library for random schemas and values.
func FuzzPlain(f *testing.F) {
	f.Add(plainRules, `{"name": "a", "nested": {"x": "y"}}`)
	f.Add(`{"$schema": "http://json-schema.org/draft-07/schema#", "anyOf": [{"const": 1}, {"required": ["a"]}]}`, `{"a": [null]}`)
	for _, rules := range mutate.Texts([]string{plainRules}, 200) {
		f.Add(rules, `{"name": "a", "port": 0, "hosts": [1], "nested": {"x": 2}, "either": {}, "both": 1}`)
	}
	f.Fuzz(func(t *testing.T, rules, value string) {
		var tree any
		if json.Unmarshal([]byte(value), &tree) != nil || !strings.HasPrefix(rules, `{"$schema"`) {
			return
		}
		plain, err := schemacheck.Compile([]byte(rules))
		library, libraryErr := schemacheck.Compile([]byte(strings.Replace(rules, "{", `{"readOnly": true,`, 1)))
		if err != nil || libraryErr != nil {
			assert.True(t, (err == nil) == (libraryErr == nil) || strings.Contains(rules, "definitions"), "plain %v, library %v", err, libraryErr)
			return
		}
		agree(t, plain, library, tree, rules)
	})
}
