// Package store stores finished images as OCI layouts in the user's cache, each under a key of all its inputs. The layouts share one folder of blobs, so
// a layer used by many images is stored once.
package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// Store is a folder of OCI layouts: <Dir>/<key>/{oci-layout,index.json}, in which blobs is a link to the shared <Dir>/blobs.
type Store struct {
	Dir string
}

// Key returns a name for the inputs of an image: the readable label and a hash of the parts' JSON.
func Key(label string, parts ...any) (string, error) {
	text, err := json.Marshal(parts)
	if err != nil {
		return "", fmt.Errorf("cache key of %s: %w", label, err)
	}
	sum := sha256.Sum256(text)
	return label + "-" + hex.EncodeToString(sum[:12]), nil
}

// Has reports whether an image is stored under the key, and marks it as used (see Prune).
func (s Store) Has(key string) bool {
	now := time.Now()
	return os.Chtimes(s.index(key), now, now) == nil
}

func (s Store) index(key string) string { return filepath.Join(s.Dir, key, "index.json") }

// Get returns the image stored under the key. The error is fs.ErrNotExist if there is none.
func (s Store) Get(key string) (v1.Image, error) {
	if !s.Has(key) {
		return nil, fmt.Errorf("image cache %s: %s: %w", s.Dir, key, fs.ErrNotExist)
	}
	index, err := layout.ImageIndexFromPath(filepath.Join(s.Dir, key))
	if err != nil {
		return nil, fmt.Errorf("image cache: %s: %w", key, err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, fmt.Errorf("image cache: %s: %w", key, err)
	}
	if len(manifest.Manifests) != 1 {
		return nil, fmt.Errorf("image cache: %s holds %d images instead of one: delete that folder", key, len(manifest.Manifests))
	}
	return index.Image(manifest.Manifests[0].Digest)
}

// Put stores the image under the key, atomically, and returns the stored image, whose layers can be read repeatedly.
func (s Store) Put(key string, image v1.Image) (v1.Image, error) {
	blobs := filepath.Join(s.Dir, "blobs")
	if err := os.MkdirAll(blobs, 0o755); err != nil {
		return nil, fmt.Errorf("image cache: %w", err)
	}
	work := filepath.Join(s.Dir, ".making-"+strconv.Itoa(os.Getpid())+"-"+key)
	if err := os.RemoveAll(work); err != nil {
		return nil, fmt.Errorf("image cache: %w", err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	if err := s.write(work, image); err != nil {
		return nil, fmt.Errorf("image cache: storing %s: %w", key, err)
	}
	final := filepath.Join(s.Dir, key)
	if err := os.Rename(work, final); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("image cache: storing %s: %w", key, err)
	}
	return s.Get(key)
}

func (s Store) write(dir string, image v1.Image) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.Symlink(filepath.Join("..", "blobs"), filepath.Join(dir, "blobs")); err != nil {
		return err
	}
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	return path.AppendImage(image)
}
