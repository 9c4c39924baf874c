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
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gitops-runtime/localcluster/standin/gitserver"
)

// git runs the git program without the machine's configuration.
func git(t *testing.T, folder string, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "git", arguments...)
	command.Dir = folder
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_TERMINAL_PROMPT=0")
	output, err := command.CombinedOutput()
	require.NoError(t, err, "git %s: %s", strings.Join(arguments, " "), output)
	return string(output)
}

func serve(t *testing.T) (string, *gitserver.Repository) {
	t.Helper()
	repository, err := gitserver.ReadFolder(fstest.MapFS{
		"guestbook/configmap.yaml": {Data: []byte("kind: ConfigMap\n")},
		"guestbook/nested/large":   {Data: []byte(strings.Repeat("x1y2", 100_000))},
		"guestbook.yaml":           {Data: []byte("kind: List\n")},
		"..data/guestbook.yaml":    {Data: []byte("left out\n")},
		"empty":                    {Data: []byte{}},
	})
	require.NoError(t, err)
	server := httptest.NewServer(gitserver.New(map[string]*gitserver.Repository{"apps.git": repository}))
	t.Cleanup(server.Close)
	return server.URL, repository
}

// Kubernetes mounts a ConfigMap as links to links.
func TestReadMountedConfigMap(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "..version", "guestbook"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "..version", "guestbook", "configmap.yaml"), []byte("kind: ConfigMap\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "..version", "list.yaml"), []byte("kind: List\n"), 0o600))
	for name, target := range map[string]string{"..data": "..version", "guestbook": "..data/guestbook", "list.yaml": "..data/list.yaml"} {
		require.NoError(t, os.Symlink(target, filepath.Join(folder, name)))
	}
	mounted, err := gitserver.ReadFolder(os.DirFS(folder))
	require.NoError(t, err)
	same, err := gitserver.NewRepository(map[string][]byte{"guestbook/configmap.yaml": []byte("kind: ConfigMap\n"), "list.yaml": []byte("kind: List\n")})
	require.NoError(t, err)
	require.Equal(t, same.Head(), mounted.Head())
}

func TestCloneFetchAndChange(t *testing.T) {
	t.Parallel()
	address, repository := serve(t)
	folder := t.TempDir()

	git(t, folder, "clone", "-q", address+"/apps.git", "apps")
	apps := filepath.Join(folder, "apps")
	git(t, apps, "fsck", "--strict")
	require.Equal(t, "empty\nguestbook.yaml\nguestbook/configmap.yaml\nguestbook/nested/large\n", git(t, apps, "ls-files"))
	require.Equal(t, repository.Head()+"\tHEAD\n"+repository.Head()+"\trefs/heads/main\n", git(t, apps, "ls-remote", "-q"))

	status, _ := call(t, http.MethodPut, address+"/test/apps.git/guestbook/configmap.yaml", "kind: Secret\n")
	require.Equal(t, http.StatusOK, status)
	status, _ = call(t, http.MethodDelete, address+"/test/apps.git/empty", "")
	require.Equal(t, http.StatusOK, status)
	git(t, apps, "fetch", "-q", "origin", "--tags", "--force", "--prune")
	git(t, apps, "checkout", "-q", repository.Head())
	require.Equal(t, "guestbook.yaml\nguestbook/configmap.yaml\nguestbook/nested/large\n", git(t, apps, "ls-files"))
	require.Equal(t, "DELETE empty\nPUT guestbook/configmap.yaml\nStart\n", git(t, apps, "log", "--format=%s"))
	content, err := os.ReadFile(filepath.Join(apps, "guestbook", "configmap.yaml"))
	require.NoError(t, err)
	require.Equal(t, "kind: Secret\n", string(content))
}

func call(t *testing.T, method, address, body string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(text)
}

func TestReplies(t *testing.T) {
	t.Parallel()
	address, _ := serve(t)
	zeros := strings.Repeat("0", 40)
	tests := map[string]struct {
		method, path, body string
		status             int
		reply              string
	}{
		"health":               {"GET", "/healthz", "", 200, "ok\n"},
		"unknown repository":   {"GET", "/other.git/info/refs?service=git-upload-pack", "", 404, "there is no repository \"other.git\"\n"},
		"dumb protocol":        {"GET", "/apps.git/info/refs", "", 403, "this server is read-only and speaks smart HTTP only\n"},
		"push":                 {"GET", "/apps.git/info/refs?service=git-receive-pack", "", 403, "this server is read-only and speaks smart HTTP only\n"},
		"bad length":           {"POST", "/apps.git/git-upload-pack", "zzzz", 400, "the length \"zzzz\" of a request line is not a number of bytes\n"},
		"cut off":              {"POST", "/apps.git/git-upload-pack", "0032want", 400, "the request is cut off: unexpected EOF\n"},
		"unknown line":         {"POST", "/apps.git/git-upload-pack", "000cdeepen 1", 400, "the request line \"deepen\" is not understood\n"},
		"unknown object":       {"POST", "/apps.git/git-upload-pack", "0031want " + zeros, 404, "the object \"" + zeros + "\" is not in this repository\n"},
		"not done":             {"POST", "/apps.git/git-upload-pack", "0000", 200, "0008NAK\n"},
		"change of a bad path": {"PUT", "/test/apps.git/a/.git", "x", 400, "{\n  \"message\": \"\\\"a/.git\\\" is not a path of a file in a repository\"\n}\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, reply := call(t, test.method, address+test.path, test.body)
			require.Equal(t, test.status, status)
			require.Equal(t, test.reply, reply)
		})
	}
}
