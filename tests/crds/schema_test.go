package crds

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const rows = `scenario	kind	object	container	aspect	key	value
tunnel	CustomResourceDefinition	books.example.com	-	crd	group	example.com
tunnel	CustomResourceDefinition	books.example.com	-	crd	names.kind	Book
tunnel	CustomResourceDefinition	books.example.com	-	crd	names.plural	books
tunnel	CustomResourceDefinition	books.example.com	-	crd	names.shortNames	bk,bks
tunnel	CustomResourceDefinition	books.example.com	-	crd	scope	Namespaced
tunnel	CustomResourceDefinition	books.example.com	-	crd	version v1	served=true storage=false
tunnel	CustomResourceDefinition	books.example.com	-	crd	version v2	served=true storage=true
tunnel	CustomResourceDefinition	books.example.com	-	crd	version v2 column Age	.metadata.creationTimestamp date
tunnel	CustomResourceDefinition	books.example.com	-	crd	version v2 subresource	status
tunnel	CustomResourceDefinition	books.example.com	-	crd	version v2 spec	type=object required
tunnel	CustomResourceDefinition	books.example.com	-	crd	version v2 spec.pages	type=integer required default=3 format=int64 minimum=1
tunnel	CustomResourceDefinition	books.example.com	-	crd	version v2 spec.tags	type=array maxItems=2
tunnel	CustomResourceDefinition	books.example.com	-	crd	version v2 spec.tags[]	type=string enum=a|b
tunnel	CustomResourceDefinition	books.example.com	-	crd	version v2 spec.map	type=object nullable=true cel=size(self) > 0 && true
tunnel	CustomResourceDefinition	books.example.com	-	crd	version v2 spec.map{}	type=object preserve-unknown
tunnel	CustomResourceDefinition	books.example.com	-	crd	version v2 spec.size	type=int-or-string required
ingress	Secret	books.example.com	-	crd	names.other	of another aspect
other	CustomResourceDefinition	books.example.com	-	crd	group	(absent)
tunnel	CustomResourceDefinition	pens.example.org	-	crd	group	example.org
`

const built = `# Generated from table.tsv by make generate; do not edit.
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: books.example.com
spec:
  group: example.com
  names:
    kind: Book
    plural: books
    shortNames:
    - bk
    - bks
  scope: Namespaced
  versions:
  - name: v1
    schema:
      openAPIV3Schema: {"properties":{"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"type":"object"}},"type":"object"}
    served: true
    storage: false
  - additionalPrinterColumns:
    - jsonPath: .metadata.creationTimestamp
      name: Age
      type: date
    name: v2
    schema:
      openAPIV3Schema: {"properties":{"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"type":"object"},"spec":{"properties":{"map":{"additionalProperties":{"type":"object","x-kubernetes-preserve-unknown-fields":true},"nullable":true,"type":"object","x-kubernetes-validations":[{"rule":"size(self) \u003e 0 \u0026\u0026 true"}]},"pages":{"default":3,"format":"int64","minimum":1,"type":"integer"},"size":{"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true},"tags":{"items":{"enum":["a","b"],"type":"string"},"maxItems":2,"type":"array"}},"required":["pages","size"],"type":"object"}},"required":["spec"],"type":"object"}
    served: true
    storage: true
    subresources:
      status: {}
`

func TestContractBuildsDefinitions(t *testing.T) {
	c := Contract{Table: "table.tsv", Group: "example.com"}
	found, err := c.rows(rows)
	require.NoError(t, err)
	require.Len(t, found, 1)
	definition, err := build("books.example.com", found["books.example.com"], c.Table)
	require.NoError(t, err)
	assert.Equal(t, "books", definition.Plural)
	assert.Equal(t, built, string(definition.Text))
}

func TestContractRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ from, to, want string }{
		"a short row":            {"group\texample.com", "group", "table.tsv:2: got 6 columns, want 7"},
		"an unknown key":         {"scope\tNamespaced", "colour\tred", `table.tsv:6: books.example.com: unknown key "colour"`},
		"an unknown keyword":     {"maxItems=2", "most=2", `row 13: spec.tags: unknown keyword "most=2"`},
		"an unknown subresource": {"subresource\tstatus", "subresource\tscale", `unknown subresource "scale"`},
		"an invalid number":      {"minimum=1", "minimum=one", "read minimum"},
		"a default of an object": {"type=integer required default=3", "type=object default=3", "a value of type object is not supported"},
		"a missing parent":       {"version v2 spec.tags\t", "version v2 spec.marks\t", "row 14: spec.tags[] has no parent"},
		"no type":                {"type=string enum=a|b", "minLength=1", "no type"},
		"two rules":              {" && true", " cel=true", "more than one cel"},
		"no version":             {"served=true storage=true", "stored", "read \"stored\""},
	} {
		t.Run(name, func(t *testing.T) {
			changed := strings.Replace(rows, tc.from, tc.to, 1)
			require.NotEqual(t, rows, changed)
			c := Contract{Table: "table.tsv", Group: "example.com"}
			found, err := c.rows(changed)
			if err == nil {
				_, err = build("books.example.com", found["books.example.com"], c.Table)
			}
			assert.ErrorContains(t, err, tc.want)
		})
	}
}
