package helmrender_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/helmrender"
	"gitops-runtime/internal/valueschema"
)

// family returns a chart with a subchart, with these schemas; empty for no schema.
func family(parent, child string) *chart.Chart {
	text := func(schema string) []byte {
		if schema == "" {
			return nil
		}
		return []byte(schema)
	}
	made := &chart.Chart{Metadata: &chart.Metadata{Name: "parent"}, Schema: text(parent)}
	made.AddDependency(&chart.Chart{Metadata: &chart.Metadata{Name: "child"}, Schema: text(child)})
	return made
}

// Result and message are those of Helm, on the first call and from the cache.
func TestValidateIsHelms(t *testing.T) {
	const named = `{"type": "object", "properties": {"name": {"type": "string"}, "size": {"maximum": 3}}, "required": ["name"]}`
	cases := map[string]struct {
		parent, child, values string
		fine                  bool
	}{
		"no schemas":                     {values: "a: 1", fine: true},
		"values that fit":                {parent: named, child: named, values: "name: a\nsize: 3\nchild: {name: b}", fine: true},
		"a wrong type":                   {parent: named, values: "name: 1"},
		"several errors":                 {parent: named, values: "size: 4"},
		"an error below":                 {parent: named, child: named, values: "name: a\nchild: {size: 1}"},
		"errors in both":                 {parent: named, child: named, values: "size: 4\nchild: {size: 5}"},
		"no values below":                {child: named, values: "a: 1", fine: true},
		"null below":                     {child: named, values: "child: null", fine: true},
		"a list below":                   {child: named, values: "child: [1]"},
		"no values":                      {parent: named, values: "{}"},
		"a schema that is not JSON":      {parent: "{", values: "a: 1"},
		"a schema that is not a schema":  {parent: `{"type": "text"}`, values: "a: 1"},
		"an unresolved reference":        {parent: `{"$ref": "#/definitions/a"}`, values: "a: 1"},
		"a reference that Helm resolves": {parent: `{"$ref": "urn:example:a"}`, values: "a: 1", fine: true},
	}
	var cache valueschema.Cache
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			of := family(test.parent, test.child)
			values := map[string]any{}
			require.NoError(t, yaml.Unmarshal([]byte(test.values), &values))
			want := chartutil.ValidateAgainstSchema(of, values)
			assert.Equal(t, test.fine, want == nil, want)
			for range 2 {
				if test.fine {
					assert.NoError(t, helmrender.Validate(&cache, of, values))
				} else {
					assert.EqualError(t, helmrender.Validate(&cache, of, values), want.Error())
				}
			}
		})
	}
}
