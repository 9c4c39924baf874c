package render_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/validator/findings"
)

// uncoded are the charts whose templates refuse something that validate-values does not look at, with the reason.
var uncoded = map[string]string{
	"common":        "facts of a component, which the chart's author writes and no user",
	"tunnel-server": "a chart of its own, for who runs the platform; validate-values checks a runtime",
}

var (
	failing = regexp.MustCompile(`\{-? ?fail\s+(?:\(\s*(?:printf?)?\s*)*`)
	coded   = regexp.MustCompile(`^\\n([A-Z]{3}[0-9]{3}): `)
)

// What a template refuses, validate-values finds first: under the same code, with a case of its own.
func TestEveryFailOfATemplateIsAFindingWithACase(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	cases, err := filepath.Glob(filepath.Join(root, "validator", "validatecmd", "testdata", "cases", "*", "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	var found strings.Builder
	for _, name := range cases {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		_, want, _ := strings.Cut(string(text), "-- want --\n")
		found.WriteString(want)
	}
	seen := 0
	for _, file := range templatesOf(t, root) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, at := range failing.FindAllIndex(text, -1) {
			said := strings.TrimPrefix(string(text[at[1]:min(at[1]+60, len(text))]), `"`)
			code := coded.FindStringSubmatch(said)
			if !assert.NotNil(t, code, "%s refuses without a code: %s", file, said) {
				continue
			}
			seen++
			_, known := findings.Lookup(code[1])
			assert.True(t, known, "%s: %s is no finding", file, code[1])
			assert.Contains(t, found.String(), code[1], "%s: no case of validate-values finds %s", file, code[1])
		}
	}
	assert.Greater(t, seen, 20)
}

// templatesOf are the templates of the charts that are coded.
func templatesOf(t *testing.T, root string) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"*", "*/*"} {
		for _, ending := range []string{".tpl", ".yaml", ".txt"} {
			matches, err := filepath.Glob(filepath.Join(root, "charts", "*", "templates", pattern+ending))
			require.NoError(t, err)
			files = append(files, matches...)
		}
	}
	return slices.DeleteFunc(files, func(file string) bool {
		relative, err := filepath.Rel(filepath.Join(root, "charts"), file)
		require.NoError(t, err)
		_, out := uncoded[strings.Split(filepath.ToSlash(relative), "/")[0]]
		return out
	})
}
