//go:build precommit

package actions_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/testkit"
)

// TestPreCommit runs the hook of this checkout with pre-commit on a repository with a valid and an invalid values file.
func TestPreCommit(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	folder, home := t.TempDir(), t.TempDir()
	git := func(arguments ...string) {
		out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", folder, "-c", "user.name=a", "-c", "user.email=a@example.com"}, arguments...)...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	try := func() (string, error) {
		command := exec.CommandContext(t.Context(), "pre-commit", "try-repo", root, "validate-values", "--all-files", "--verbose")
		command.Dir = folder
		// pre-commit gives Go its own module folder; the machine's already contains them
		command.Env = append(os.Environ(), "PRE_COMMIT_HOME="+home, "GOMODCACHE="+moduleCache(t), "GOFLAGS=-trimpath -buildvcs=false")
		out, err := command.CombinedOutput()
		return string(out), err
	}
	write := func(name, text string) {
		testkit.WriteFile(t, filepath.Join(folder, name), text)
		git("add", name)
	}
	git("init", "--quiet")
	write("values.yaml", good)
	write("other.yaml", "no: values of the chart\n")
	said, err := try()
	require.NoError(t, err, said)
	require.Regexp(t, `(?m)^validate-values\.+Passed$`, said)

	write("clusters/values-bad.yaml", "global:\n  runtim:\n    name: local\n")
	said, err = try()
	require.Error(t, err, said)
	require.Regexp(t, `(?m)^validate-values\.+Failed$`, said)
	require.Contains(t, said, "exit code: 3")
	require.Regexp(t, `(?m)^clusters/values-bad\.yaml:2:3: fail: SCH101 .*global\.runtim `, said)
	require.NotRegexp(t, `(?m)^values\.yaml.* fail: `, said)
	require.NotContains(t, said, "other.yaml")
}

func moduleCache(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE").Output()
	require.NoError(t, err)
	return string(out[:len(out)-1])
}
