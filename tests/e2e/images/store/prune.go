package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// Prune removes images that were not used since the given time, and the blobs that no other image has. The caller holds the lock (see Lock).
func (s Store) Prune(unusedSince time.Time) error {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return fmt.Errorf("image cache: %w", err)
	}
	used := map[string]bool{}
	removed := false
	for _, entry := range entries {
		if !entry.IsDir() {
			continue // the lock
		}
		info, err := os.Stat(s.index(entry.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // the blobs
		}
		if err == nil && info.ModTime().Before(unusedSince) {
			removed, err = true, os.RemoveAll(filepath.Join(s.Dir, entry.Name()))
		} else if err == nil {
			err = s.mark(entry.Name(), used)
		}
		if err != nil {
			return fmt.Errorf("image cache: pruning %s: %w", entry.Name(), err)
		}
	}
	if !removed {
		return nil
	}
	return s.sweep(used)
}

// mark adds the blobs of one image to used.
func (s Store) mark(key string, used map[string]bool) error {
	index, err := layout.ImageIndexFromPath(filepath.Join(s.Dir, key))
	if err != nil {
		return err
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return err
	}
	for _, one := range manifest.Manifests {
		used[one.Digest.Hex] = true
		image, err := index.Image(one.Digest)
		if err != nil {
			return err
		}
		parts, err := image.Manifest()
		if err != nil {
			return err
		}
		used[parts.Config.Digest.Hex] = true
		for _, layer := range parts.Layers {
			used[layer.Digest.Hex] = true
		}
	}
	return nil
}

func (s Store) sweep(used map[string]bool) error {
	dir := filepath.Join(s.Dir, "blobs", "sha256")
	blobs, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("image cache: %w", err)
	}
	for _, blob := range blobs {
		if used[blob.Name()] || strings.HasPrefix(blob.Name(), ".") {
			continue
		}
		if err := os.Remove(filepath.Join(dir, blob.Name())); err != nil {
			return fmt.Errorf("image cache: %w", err)
		}
	}
	return nil
}
