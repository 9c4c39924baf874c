package source_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitops-runtime/hack/release/source"
)

func git(t *testing.T, root string, arguments ...string) {
	t.Helper()
	command := exec.Command("git", append([]string{"-C", root, "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"}, arguments...)...)
	command.Env = append(os.Environ(), "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z")
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
}

func TestRead(t *testing.T) {
	root := t.TempDir()
	_, err := source.Read(t.Context(), root, "", false)
	require.ErrorContains(t, err, "git status in "+root)

	git(t, root, "init", "-q")
	require.NoError(t, os.WriteFile(filepath.Join(root, "a"), []byte("a"), 0o600))
	_, err = source.Read(t.Context(), root, "", false)
	require.EqualError(t, err, "the checkout has changes that are not committed, so that the build could not be reproduced; commit them, or publish anyway with --dirty")
	git(t, root, "add", "a")
	git(t, root, "commit", "-q", "-m", "a")

	read, err := source.Read(t.Context(), root, "", false)
	require.NoError(t, err)
	require.Regexp(t, "^[0-9a-f]{40}$", read.Revision)
	require.Equal(t, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), read.Time)
	require.Empty(t, read.URL, "no origin")

	for origin, want := range map[string]string{
		"https://user:token@git.example.com/team/repo.git": "https://git.example.com/team/repo",
		"/srv/clone":                    "",
		"git@git.example.com:team/repo": "",
	} {
		git(t, root, "config", "remote.origin.url", origin)
		read, err = source.Read(t.Context(), root, "", false)
		require.NoError(t, err)
		require.Equal(t, want, read.URL, origin)
	}
	read, err = source.Read(t.Context(), root, "https://git.example.com/told", false)
	require.NoError(t, err)
	require.Equal(t, "https://git.example.com/told", read.URL)

	require.NoError(t, os.WriteFile(filepath.Join(root, "a"), []byte("b"), 0o600))
	read, err = source.Read(t.Context(), root, "", true)
	require.NoError(t, err)
	require.Equal(t, read.Revision+"-dirty", read.Name())
}
