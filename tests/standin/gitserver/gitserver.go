// Package gitserver serves Git repositories over smart HTTP, to clone from and to push to, so that a cluster without access to a Git host has a source
// to sync from. Git itself does the work: `git http-backend`.
package gitserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/cgi" //nolint:gosec // fixed since Go 1.6.3
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"gitops-runtime/tests/standin/serve"
)

// bodyLimit is the largest file that a test can commit, in bytes.
const bodyLimit = 1 << 20

// server has the repositories below root, as <name>, and a work tree of each, as <name>.work.
type server struct {
	root string
	mu   sync.Mutex
}

// New creates a repository of each folder below root, unless an earlier run has finished it, and returns a handler that serves them under /<name>; names end with .git by convention. The
// only branch is main. Tests change a file by PUT or DELETE of /test/<name>/<path of the file>; the response is the new commit's id.
func New(ctx context.Context, root string, folders map[string]string) (http.Handler, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("the Git server runs git: %w", err)
	}
	s := &server{root: root}
	for name, folder := range folders {
		if err := s.create(ctx, name, folder); err != nil {
			return nil, fmt.Errorf("creating the repository %s: %w", name, err)
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", serve.Alive)
	mux.HandleFunc("PUT /test/{name}/{path...}", s.change)
	mux.HandleFunc("DELETE /test/{name}/{path...}", s.change)
	mux.Handle("/", &cgi.Handler{
		Path: git, Args: []string{"http-backend"}, Env: append(environment(root), "GIT_PROJECT_ROOT="+root, "GIT_HTTP_EXPORT_ALL=1"), Stderr: io.Discard,
	})
	return mux, nil
}

// environment returns the settings of git. The first commit has a fixed time, so that the same files have the same commit id after a restart.
func environment(root string) []string {
	return []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + root, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Git server", "GIT_AUTHOR_EMAIL=git@example.com", "GIT_COMMITTER_NAME=Git server", "GIT_COMMITTER_EMAIL=git@example.com",
	}
}

// create creates a repository of a folder's files. Names that start with two dots are left out: Kubernetes keeps the versions of a mounted ConfigMap
// under them, and links to those.
func (s *server) create(ctx context.Context, name, folder string) error {
	const first = "2025-01-01T00:00:00Z"
	tree, repository := s.tree(name), filepath.Join(s.root, name)
	if _, err := s.run(ctx, []string{"git", "-C", repository, "rev-parse", "--verify", "--quiet", "refs/heads/main"}); err == nil {
		return nil // the container was restarted: what was pushed is kept
	}
	if err := errors.Join(os.RemoveAll(tree), os.RemoveAll(repository)); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"git", "init", "--quiet", "--bare", "--initial-branch=main", repository},
		{"git", "-C", repository, "config", "http.receivepack", "true"},
		{"git", "clone", "--quiet", repository, tree},
		{"cp", "-RL", folder + "/.", tree},
		{"sh", "-c", "rm -rf -- " + tree + "/..?*"},
		{"git", "-C", tree, "add", "--all"},
		{"git", "-C", tree, "commit", "--quiet", "--allow-empty", "--message=Start"},
		{"git", "-C", tree, "push", "--quiet", "origin", "HEAD:main"},
	} {
		if _, err := s.run(ctx, args, "GIT_AUTHOR_DATE="+first, "GIT_COMMITTER_DATE="+first); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) tree(name string) string { return filepath.Join(s.root, name+".work") }

// run runs a program and returns what it wrote.
func (s *server) run(ctx context.Context, args []string, more ...string) (string, error) {
	command := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // names of the stand-in's own settings
	command.Env = append(environment(s.root), more...)
	out, err := command.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return strings.TrimSpace(string(out)), nil
}

// change commits one file: the body of a PUT, or a deletion.
func (s *server) change(w http.ResponseWriter, r *http.Request) {
	name, file := r.PathValue("name"), r.PathValue("path")
	if _, err := os.Stat(s.tree(name)); err != nil || !fs.ValidPath(name) {
		serve.Failure(w, http.StatusNotFound, fmt.Sprintf("there is no repository %q", name))
		return
	}
	if !fs.ValidPath(file) || file == "." || path.Base(file) == ".git" {
		serve.Failure(w, http.StatusBadRequest, fmt.Sprintf("%q is not a path of a file in a repository", file))
		return
	}
	content, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
	if err != nil {
		serve.Failure(w, http.StatusRequestEntityTooLarge, "the file is larger than 1 MiB or was cut off")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id, err := s.commit(r.Context(), s.tree(name), r.Method, file, content)
	if err != nil {
		serve.Failure(w, http.StatusInternalServerError, err.Error())
		return
	}
	serve.JSON(w, http.StatusOK, map[string]string{"commit": id})
}

func (s *server) commit(ctx context.Context, tree, method, file string, content []byte) (string, error) {
	if _, err := s.run(ctx, []string{"git", "-C", tree, "pull", "--quiet"}); err != nil { // what others have pushed
		return "", err
	}
	target := filepath.Join(tree, filepath.FromSlash(file))
	if method == http.MethodDelete {
		if err := os.RemoveAll(target); err != nil {
			return "", err
		}
	} else if err := errors.Join(os.MkdirAll(filepath.Dir(target), 0o755), os.WriteFile(target, content, 0o600)); err != nil {
		return "", err
	}
	id := ""
	for _, args := range [][]string{
		{"add", "--all"}, {"commit", "--quiet", "--allow-empty", "--message=" + method + " " + file}, {"push", "--quiet"}, {"rev-parse", "HEAD"},
	} {
		var err error
		if id, err = s.run(ctx, append([]string{"git", "-C", tree}, args...)); err != nil {
			return "", err
		}
	}
	return id, nil
}
