package programs_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"

	"gitops-runtime/internal/gomodule"
)

// module returns the prefix of the import path of every package of the repository.
func module() string {
	return strings.TrimSuffix(reflect.TypeFor[gomodule.Module]().PkgPath(), "internal/gomodule")
}

// rule is a part of the repository with the parts that it must not import.
type rule struct {
	part   string
	others []string
	// tests reports whether the rule applies to the tests of the part as well.
	tests bool
}

var rules = []rule{
	{"validator", []string{"imageoverride"}, true},
	{"imageoverride", []string{"validator"}, true},
	{"internal", []string{"validator", "imageoverride"}, true},
	{"internal", []string{"schema", "tests", "hack"}, false},
	{"validator", []string{"tests", "hack", "schema"}, false},
	{"hack/release", []string{"validator", "imageoverride"}, false},
	{"imageoverride", []string{"tests", "hack"}, false},
	{"schema", []string{"tests", "hack", "validator", "imageoverride"}, false},
}

// breaks reports whether an import by a file violates the rule.
func (r rule) breaks(file, path string) bool {
	if !below(file, r.part) || !r.tests && strings.HasSuffix(file, "_test.go") {
		return false
	}
	for _, other := range r.others {
		if imported, ours := strings.CutPrefix(path, module()); ours && below(imported, other) {
			return true
		}
	}
	return false
}

func below(path, folder string) bool { return strings.HasPrefix(path+"/", folder+"/") }

// violations returns the imports of a file that violate the rules.
func violations(t *testing.T, file string, source any) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.ImportsOnly)
	require.NoError(t, err)
	var found []string
	for _, one := range parsed.Imports {
		path, err := strconv.Unquote(one.Path.Value)
		require.NoError(t, err)
		for _, rule := range rules {
			if rule.breaks(filepath.ToSlash(file), path) {
				found = append(found, file+" imports "+path)
			}
		}
	}
	return found
}

func TestPartsObserveTheRules(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	t.Chdir(root)
	seen := 0
	for _, part := range []string{"validator", "imageoverride", "internal", "schema", "hack"} {
		require.NoError(t, filepath.WalkDir(part, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" {
				return err
			}
			seen++
			assert.Empty(t, violations(t, path, nil))
			return nil
		}))
	}
	require.Greater(t, seen, 100, "the walk does not find the parts")
}

func TestViolationsAreFound(t *testing.T) {
	cases := map[string]struct{ file, imports, want string }{
		"the other program":           {"validator/validatecmd/a.go", "gitops-runtime/imageoverride/overridecmd", "validator/validatecmd/a.go imports gitops-runtime/imageoverride/overridecmd"},
		"the other program in a test": {"imageoverride/overridecmd/a_test.go", "gitops-runtime/validator/validatecmd", "imageoverride/overridecmd/a_test.go imports gitops-runtime/validator/validatecmd"},
		"a program from internal":     {"internal/a/a.go", "gitops-runtime/validator/checks", "internal/a/a.go imports gitops-runtime/validator/checks"},
		"a test's support":            {"schema/a.go", "gitops-runtime/tests/render", "schema/a.go imports gitops-runtime/tests/render"},
		"a test's support in a test":  {"validator/validatecmd/a_test.go", "gitops-runtime/tests/standin/platformapi", ""},
		"a shared package":            {"validator/validatecmd/a.go", "gitops-runtime/internal/outfile", ""},
		"a similar name":              {"validator/validatecmd/a.go", "gitops-runtime/testsuite", ""},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			got := violations(t, test.file, "package a\n\nimport _ "+strconv.Quote(test.imports)+"\n")
			assert.Equal(t, test.want, strings.Join(got, "\n"))
		})
	}
}

// maxModules is the maximum number of modules that the root's go.mod requires, directly and indirectly.
const maxModules = 120

func TestTheRootRequiresFewModules(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	parsed, err := modfile.Parse("go.mod", text, nil)
	require.NoError(t, err)
	assert.NotEmpty(t, parsed.Require)
	assert.LessOrEqual(t, len(parsed.Require), maxModules, "docs/decisions/modules.md describes where requirements belong")
}
