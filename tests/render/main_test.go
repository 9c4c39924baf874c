package render_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/render"
)

// TestMain puts the pinned tools of bin/ first in PATH.
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

// modes returns the access modes with a values file in the umbrella's ci/ folder.
func modes() []string { return []string{"tunnel", "ingress", "gateway", "mesh"} }

// umbrella returns a release of the umbrella chart in an access mode.
func umbrella(mode string, set map[string]string) render.Release {
	return render.Release{Chart: "gitops-runtime", Files: []string{mode}, Set: set}
}
