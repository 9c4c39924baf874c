package crds

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/generated"
	"gitops-runtime/internal/gomodule"
)

const upstream = `# a comment
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations: {controller-gen.kubebuilder.io/version: v0.14.0}
  labels: {app.kubernetes.io/part-of: x}
  name: books.example.com
spec:
  group: example.com
  names: {kind: Book, plural: books}
  scope: Namespaced
  versions:
  - name: v1
    additionalPrinterColumns:
    - {description: prose, jsonPath: .a, name: A, type: string}
    schema:
      openAPIV3Schema:
        description: prose
        type: object
        properties:
          description:
            description: prose
            type: string
          list:
            items: {description: prose, type: string}
            default: [{description: data}]
          map:
            additionalProperties: {description: prose, anyOf: [{description: prose}]}
status:
  conditions: []
`

const derived = `# Derived from example.com/books v1.2.3 by make generate; do not edit.
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: books.example.com
spec:
  group: example.com
  names:
    kind: Book
    plural: books
  scope: Namespaced
  versions:
  - additionalPrinterColumns:
    - jsonPath: .a
      name: A
      type: string
    name: v1
    schema:
      openAPIV3Schema: {"properties":{"description":{"type":"string"},"list":{"default":[{"description":"data"}],"items":{"type":"string"}},"map":{"additionalProperties":{"anyOf":[{}]}}},"type":"object"}
`

var books = gomodule.Module{Path: "example.com/books", Version: "v1.2.3"}

func TestDerive(t *testing.T) {
	definition, err := derive(books, []byte(upstream))
	require.NoError(t, err)
	assert.Equal(t, derived, string(definition.Text))
	assert.Equal(t, "books", definition.Plural)
	assert.Equal(t, len(upstream), definition.Before)
}

func TestDeriveKeepsTheApprovalOfAProtectedGroup(t *testing.T) {
	protected := strings.NewReplacer("annotations: {", "annotations: {api-approved.kubernetes.io: https://example.com/1, ").Replace(upstream)
	definition, err := derive(books, []byte(protected))
	require.NoError(t, err)
	assert.Equal(t, strings.Replace(derived, "metadata:\n", "metadata:\n  annotations:\n    api-approved.kubernetes.io: https://example.com/1\n", 1), string(definition.Text))
}

func TestDeriveRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"invalid YAML":  {"a: [", "read the definition"},
		"another kind":  {"apiVersion: v1\nkind: Secret\n", "want apiextensions.k8s.io/v1 CustomResourceDefinition, got v1 Secret"},
		"no names":      {strings.Replace(upstream, "plural: books", "singular: book", 1), "lacks spec.names.plural"},
		"no schema":     {strings.Replace(upstream, "openAPIV3Schema", "other", 1), "version v1 has no openAPIV3Schema"},
		"empty version": {strings.Split(upstream, "  versions:")[0], "spec.versions"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := derive(books, []byte(tc.text))
			assert.ErrorContains(t, err, tc.want)
		})
	}
}

func TestDefinitionsMatchTheirModules(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	files, err := Generate(t.Context(), root, Sources())
	require.NoError(t, err)
	drift, err := Drift(root, Sources(), files)
	require.NoError(t, err)
	assert.Empty(t, drift)

	counted := 0
	for _, source := range Sources() {
		counted += source.Count
	}
	assert.Len(t, files, counted)

	for _, file := range files {
		var crd apiextensions.CustomResourceDefinition
		require.NoError(t, yaml.UnmarshalStrict(file.Text, &crd), file.Path)
		assert.Equal(t, crd.Spec.Names.Plural+"."+crd.Spec.Group, crd.Name, file.Path)
		assert.Contains(t, []string{"argoproj.io", "bitnami.com", "codefresh.io", "gateway.networking.k8s.io"}, crd.Spec.Group, file.Path)
		assertNoProse(t, file.Path, &crd)
	}
}

func assertNoProse(t *testing.T, path string, crd *apiextensions.CustomResourceDefinition) {
	t.Helper()
	for _, version := range crd.Spec.Versions {
		text, err := json.Marshal(version.Schema.OpenAPIV3Schema)
		require.NoError(t, err)
		assert.NotContains(t, string(text), `"description":"`, path)
	}
}

func TestWriteAndDrift(t *testing.T) {
	root := t.TempDir()
	sources := []Source{{Target: "charts/x/files/crds"}}
	files := []File{{File: generated.File{Path: "charts/x/files/crds/books.yaml", Text: []byte("a: 1\n")}}}

	drift, err := Drift(root, sources, files)
	require.NoError(t, err)
	assert.Equal(t, []string{"charts/x/files/crds/books.yaml is missing; run make generate"}, drift)

	require.NoError(t, Write(root, sources, files))
	stale := filepath.Join(root, "charts/x/files/crds/old.yaml")
	require.NoError(t, os.WriteFile(stale, []byte("b: 1\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(root, files[0].Path), []byte("c: 1\n"), 0o600))
	drift, err = Drift(root, sources, files)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"charts/x/files/crds/books.yaml differs from its source; run make generate",
		"charts/x/files/crds/old.yaml has no source; run make generate",
	}, drift)

	require.NoError(t, Write(root, sources, files))
	drift, err = Drift(root, sources, files)
	require.NoError(t, err)
	assert.Empty(t, drift)
	assert.NoFileExists(t, stale)
}

func TestGenerateChecksTheNumberOfDefinitions(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(upstream), 0o600))
	_, err := Generate(t.Context(), "", []Source{{Origin: folder(dir), Count: 2}})
	assert.EqualError(t, err, dir+" contains 1 definitions, want 2; if this is intended, change Sources")
}

// folder is an Origin: the definitions in a folder.
type folder string

func (f folder) String() string { return string(f) }

func (f folder) Definitions(context.Context, string) ([]Definition, error) {
	return deriveFolder(gomodule.Module{Dir: string(f)}, ".")
}

func TestReport(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Report(&out, []File{
		{generated.File{Path: "charts/x/a.yaml", Text: []byte("12345")}, 10},
		{generated.File{Path: "charts/x/b.yaml", Text: []byte("1")}, 1},
		{generated.File{Path: "charts/y/c.yaml", Text: []byte("12")}, 3},
	}))
	assert.Equal(t, "  definitions  bytes upstream  bytes here  folder\n"+
		"            2              11           6  charts/x\n"+
		"            1               3           2  charts/y\n", out.String())
}
