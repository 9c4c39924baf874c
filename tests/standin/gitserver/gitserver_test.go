package gitserver_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/gitserver"
)

// start serves a repository apps.git whose folder has a file behind links, as in a mounted ConfigMap.
func start(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "..data", "guestbook"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "..data", "guestbook", "a.yaml"), []byte("one"), 0o600))
	require.NoError(t, os.Symlink(filepath.Join("..data", "guestbook"), filepath.Join(folder, "guestbook")))
	handler, err := gitserver.New(t.Context(), t.TempDir(), map[string]string{"apps.git": folder})
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func git(t *testing.T, folder string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
	command.Dir, command.Env = folder, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return strings.TrimSpace(string(out))
}

func send(t *testing.T, method, address, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(text)
}

// Clients clone and push; tests add and delete files; the first commit depends on the files alone.
func TestRepository(t *testing.T) {
	t.Parallel()
	url, clone := start(t), t.TempDir()
	git(t, clone, "clone", "--quiet", url+"/apps.git", ".")
	require.Equal(t, "guestbook/a.yaml", git(t, clone, "ls-files"))
	require.Equal(t, git(t, clone, "ls-remote", start(t)+"/apps.git", "main"), git(t, clone, "ls-remote", url+"/apps.git", "main"))

	status, answer := send(t, http.MethodPut, url+"/test/apps.git/more/b.yaml", "two")
	require.Equal(t, http.StatusOK, status, answer)
	git(t, clone, "pull", "--quiet")
	require.Contains(t, answer, git(t, clone, "rev-parse", "HEAD"))
	require.Equal(t, "guestbook/a.yaml\nmore/b.yaml", git(t, clone, "ls-files"))

	require.NoError(t, os.WriteFile(filepath.Join(clone, "c.yaml"), []byte("three"), 0o600))
	git(t, clone, "add", "c.yaml")
	git(t, clone, "commit", "--quiet", "--message=three")
	git(t, clone, "push", "--quiet")
	status, answer = send(t, http.MethodDelete, url+"/test/apps.git/more/b.yaml", "")
	require.Equal(t, http.StatusOK, status, answer)
	git(t, clone, "pull", "--quiet")
	require.Equal(t, "c.yaml\nguestbook/a.yaml", git(t, clone, "ls-files"))
	status, _ = send(t, http.MethodGet, url+"/healthz", "")
	require.Equal(t, http.StatusOK, status)
}

// A container that is started again in its pod keeps what was pushed, and completes what was interrupted.
func TestRestart(t *testing.T) {
	t.Parallel()
	root, folder, clone := t.TempDir(), t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.yaml"), []byte("one"), 0o600))
	serve := func() string {
		handler, err := gitserver.New(t.Context(), root, map[string]string{"apps.git": folder})
		require.NoError(t, err)
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		return server.URL
	}
	require.NoError(t, os.MkdirAll(filepath.Join(root, "apps.git.work", "half"), 0o700))
	status, answer := send(t, http.MethodPut, serve()+"/test/apps.git/b.yaml", "two")
	require.Equal(t, http.StatusOK, status, answer)
	git(t, clone, "clone", "--quiet", serve()+"/apps.git", ".")
	require.Equal(t, "a.yaml\nb.yaml", git(t, clone, "ls-files"))
	status, answer = send(t, http.MethodPut, serve()+"/test/apps.git/c.yaml", "three")
	require.Equal(t, http.StatusOK, status, answer)
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	url := start(t)
	for path, want := range map[string]int{
		"/test/none.git/a": http.StatusNotFound, "/test/apps.git/.git": http.StatusBadRequest, "/test/apps.git/a/.git": http.StatusBadRequest,
	} {
		status, answer := send(t, http.MethodPut, url+path, "a")
		require.Equal(t, want, status, answer)
	}
	status, _ := send(t, http.MethodPut, url+"/test/apps.git/large", strings.Repeat("a", 1<<20+1))
	require.Equal(t, http.StatusRequestEntityTooLarge, status)
	_, err := gitserver.New(context.Background(), t.TempDir(), map[string]string{"a.git": "/none"})
	require.ErrorContains(t, err, "creating the repository a.git: cp -RL ")
}
