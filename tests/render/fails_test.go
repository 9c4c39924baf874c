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

// uncoded are the charts whose templates reject values that validate-values does not check, with the reason.
var uncoded = map[string]string{
	"common":          "facts of a component, which the author of the chart writes",
	"managed-cluster": "a separate chart; validate-values checks what it creates: MCL100",
	"tunnel-server":   "a separate chart for operators of the platform; validate-values checks a runtime",
}

// ofInstalls begins the message about a chart that cannot be installed, whatever its values: validate-values checks values.
const ofInstalls = `.path ".image.repository names no registry`

var (
	failing = regexp.MustCompile(`\{-? ?fail\s+(?:\(\s*(?:printf?)?\s*)*`)
	coded   = regexp.MustCompile(`^\\n([A-Z]{3}[0-9]{3}): `)
)

// Every fail of a template has the code of a finding of validate-values, which has a test case.
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
			message := strings.TrimPrefix(string(text[at[1]:min(at[1]+80, len(text))]), `"`)
			if strings.HasPrefix(message, ofInstalls) {
				continue
			}
			code := coded.FindStringSubmatch(message)
			if !assert.NotNil(t, code, "%s fails without a code: %s", file, message) {
				continue
			}
			seen++
			_, known := findings.Lookup(code[1])
			assert.True(t, known, "%s: %s is not a finding", file, code[1])
			assert.Contains(t, found.String(), code[1], "%s: no case of validate-values finds %s", file, code[1])
		}
	}
	assert.Greater(t, seen, 20)
}

// templatesOf returns the templates of the charts, except uncoded ones.
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
