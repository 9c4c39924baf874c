package command_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// forbidden are names that read the environment without the settings that a program declares: the last two read its proxy variables.
var forbidden = []string{
	"os.Getenv", "os.LookupEnv", "os.Environ", "os.ExpandEnv", "syscall.Getenv", "syscall.Environ",
	"http.ProxyFromEnvironment", "http.DefaultClient", "http.DefaultTransport", "http.Get", "http.Post", "http.PostForm", "http.Head",
}

// Every stand-in reads its environment through package settings, so it cannot read what it does not declare.
func TestOnlySettingsReadTheEnvironment(t *testing.T) {
	t.Parallel()
	var found []string
	require.NoError(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		require.NoError(t, err)
		found = append(found, reads(t, path, source)...)
		return nil
	}))
	found = slices.DeleteFunc(found, func(one string) bool { return one == "../cmd/standin/main.go: os.LookupEnv" }) // handed to the commands
	require.Empty(t, found)
}

// reads returns the expressions of a file that read the environment; LookupEnv of the streams may only be passed to settings.Read.
func reads(t *testing.T, name string, source []byte) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
	require.NoError(t, err)
	var found []string
	handed := map[ast.Node]bool{}
	ast.Inspect(parsed, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CallExpr:
			if spelled(node.Fun) == "settings.Read" {
				for _, argument := range node.Args {
					handed[argument] = true
				}
			}
		case *ast.SelectorExpr:
			text := spelled(node)
			if slices.Contains(forbidden, text) || (node.Sel.Name == "LookupEnv" && !handed[node]) {
				found = append(found, name+": "+text)
			}
		}
		return true
	})
	return found
}

func spelled(node ast.Expr) string {
	if selector, ok := node.(*ast.SelectorExpr); ok {
		return spelled(selector.X) + "." + selector.Sel.Name
	}
	if name, ok := node.(*ast.Ident); ok {
		return name.Name
	}
	return "?"
}

// reads finds every forbidden expression.
func TestReads(t *testing.T) {
	t.Parallel()
	source := `package a
func f(streams Streams) {
	_ = os.Getenv("A")
	_, _ = streams.LookupEnv("B")
	_ = settings.Read(&given, streams.LookupEnv)
	_ = http.Transport{Proxy: http.ProxyFromEnvironment}
}`
	require.Equal(t, []string{"a.go: os.Getenv", "a.go: streams.LookupEnv", "a.go: http.ProxyFromEnvironment"}, reads(t, "a.go", []byte(source)))
}
