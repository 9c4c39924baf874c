package examples

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/gomodule"
)

// Helmfile reads every key of the example: the test compares them with the types in its source, since importing them would add the clients of every
// cloud. The values of the release render a runtime.
func TestHelmfile(t *testing.T) {
	t.Parallel()
	var example struct {
		Repositories, Releases []map[string]any
	}
	require.NoError(t, yaml.UnmarshalStrict(file(t, "helmfile/helmfile.yaml"), &example))
	require.Len(t, example.Repositories, 1)
	require.Len(t, example.Releases, 1)
	keys := helmfileKeys(t)
	assert.Subset(t, keys["ReleaseSetSpec"], []string{"repositories", "releases"})
	for name, one := range map[string]map[string]any{"RepositorySpec": example.Repositories[0], "ReleaseSpec": example.Releases[0]} {
		for key := range one {
			assert.Contains(t, keys[name], key)
		}
	}
	assert.NotContains(t, keys["ReleaseSpec"], "createNamespaces")
	assert.Equal(t, example.Repositories[0]["name"].(string)+"/gitops-runtime", example.Releases[0]["chart"])
	for _, name := range example.Releases[0]["values"].([]any) {
		requireRuntime(t, file(t, filepath.Join("helmfile", name.(string))))
	}
}

// helmfileKeys returns the keys of each type of Helmfile's state, by the type's name.
func helmfileKeys(t *testing.T) map[string][]string {
	t.Helper()
	module, err := gomodule.Find(t.Context(), filepath.Join(root(t), "tests", "e2e", "examples", "helmfile"), "github.com/helmfile/helmfile")
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(module.Dir, "pkg", "state", "*.go"))
	require.NoError(t, err)
	keys := map[string][]string{}
	for _, name := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(parsed, func(node ast.Node) bool {
			if declared, ok := node.(*ast.TypeSpec); ok {
				if fields, ok := declared.Type.(*ast.StructType); ok {
					keys[declared.Name.Name] = append(keys[declared.Name.Name], tags(fields)...)
				}
			}
			return true
		})
	}
	return keys
}

// tags returns the names of a struct's fields in YAML.
func tags(of *ast.StructType) []string {
	var names []string
	for _, field := range of.Fields.List {
		if field.Tag == nil {
			continue
		}
		text, err := strconv.Unquote(field.Tag.Value)
		if err != nil {
			continue
		}
		if name, _, _ := strings.Cut(reflect.StructTag(text).Get("yaml"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}
