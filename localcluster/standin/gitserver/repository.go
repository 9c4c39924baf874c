package gitserver

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"
	"sync"
	"time"
)

// branch is the only branch of every repository.
const branch = "refs/heads/main"

// Repository is a Git repository in memory with one branch, main.
type Repository struct {
	mu      sync.RWMutex
	files   map[string][]byte
	objects objects
	head    string
	clock   time.Time
}

// NewRepository returns a repository whose first commit contains files, by slash-separated path. Commits are a minute apart, starting at 1 January
// 2025, so that the same files result in the same commit ids.
func NewRepository(files map[string][]byte) (*Repository, error) {
	repository := &Repository{objects: objects{}, files: map[string][]byte{}, clock: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)}
	if _, err := repository.Commit("Start", files); err != nil {
		return nil, err
	}
	return repository, nil
}

// ReadFolder returns a repository of a folder's files and follows links. Names that start with two dots are omitted: Kubernetes stores the versions
// of a mounted ConfigMap under them, and links to those.
func ReadFolder(folder fs.FS) (*Repository, error) {
	files := map[string][]byte{}
	if err := readInto(files, folder, "."); err != nil {
		return nil, fmt.Errorf("reading the files of a repository: %w", err)
	}
	return NewRepository(files)
}

// readInto adds the files below a folder, which may itself be a link.
func readInto(files map[string][]byte, folder fs.FS, root string) error {
	return fs.WalkDir(folder, root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.HasPrefix(entry.Name(), "..") {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := fs.Stat(folder, name)
		switch {
		case err != nil || entry.IsDir():
			return err
		case info.IsDir():
			return readInto(files, folder, name)
		}
		files[name], err = fs.ReadFile(folder, name)
		return err
	})
}

// Commit adds files to those of the last commit or replaces them, deletes those whose content is nil, and returns the new commit's id in hexadecimal.
func (r *Repository) Commit(message string, files map[string][]byte) (string, error) {
	for name := range files {
		if !fs.ValidPath(name) || name == "." || path.Base(name) == ".git" {
			return "", fmt.Errorf("%q is not a path of a file in a repository", name)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.Copy(r.files, files)
	maps.DeleteFunc(r.files, func(_ string, content []byte) bool { return content == nil })
	r.clock = r.clock.Add(time.Minute)
	r.head = r.objects.commit(r.head, r.files, message, r.clock)
	return fmt.Sprintf("%x", r.head), nil
}

// Head returns the id of the last commit in hexadecimal.
func (r *Repository) Head() string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return fmt.Sprintf("%x", r.head)
}
