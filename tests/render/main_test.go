package render_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/render"
)

// The tests call the pinned helm of bin/.
func TestMain(m *testing.M) {
	root, err := gomodule.Root()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := os.Setenv("PATH", filepath.Join(root, "bin")+string(os.PathListSeparator)+os.Getenv("PATH")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// modes are the value files of the access modes under the umbrella's ci/.
func modes() []string { return []string{"tunnel", "ingress", "gateway", "mesh"} }

// umbrella renders the umbrella chart in a mode.
func umbrella(mode string, set map[string]string) render.Release {
	return render.Release{Chart: "gitops-runtime", Files: []string{mode}, Set: set}
}
