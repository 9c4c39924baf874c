package server

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/go-containerregistry/pkg/v1/types"
)

// manifest is one manifest as it was pushed.
type manifest struct {
	Repository, Reference, ContentType string
	Body                               []byte
}

// isIndex reports whether the manifest references other manifests.
func (m manifest) isIndex() bool { return types.MediaType(m.ContentType).IsIndex() }

// manifests stores each manifest in a separate file.
type manifests struct {
	dir string
}

func (s manifests) path(m manifest) string {
	return filepath.Join(s.dir, fmt.Sprintf("%x.json", sha256.Sum256([]byte(m.Repository+"\n"+m.Reference))))
}

// record applies a PUT or a DELETE on disk.
func (s manifests) record(method string, m manifest) error {
	if method == http.MethodDelete {
		if err := os.Remove(s.path(m)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	unfinished, err := os.CreateTemp(s.dir, "upload-*")
	if err != nil {
		return err
	}
	_, err = unfinished.Write(text)
	if err := errors.Join(err, unfinished.Close()); err != nil {
		return err
	}
	return os.Rename(unfinished.Name(), s.path(m))
}

// all returns the stored manifests, those that reference others last, since a registry rejects an index of unknown manifests.
func (s manifests) all() ([]manifest, error) {
	paths, err := filepath.Glob(filepath.Join(s.dir, "*.json"))
	if err != nil {
		return nil, err
	}
	var kept []manifest
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var m manifest
		if err := json.Unmarshal(text, &m); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		kept = append(kept, m)
	}
	rank := map[bool]int{false: 0, true: 1}
	slices.SortStableFunc(kept, func(a, b manifest) int { return cmp.Compare(rank[a.isIndex()], rank[b.isIndex()]) })
	return kept, nil
}
