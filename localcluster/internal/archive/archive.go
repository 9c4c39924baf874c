// Package archive writes Docker archives, the files that "docker load" and "ctr images import" read, and their layers. It creates an image with a
// full configuration from a file system without a Dockerfile, a builder or an engine.
package archive

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
)

// Image is one image of an archive.
type Image struct {
	// Names are the references the image gets, each with a tag.
	Names []string
	// Layers are paths of uncompressed tar files, the lowest first. Images with the same file share the layer.
	Layers []string
	Config Config
}

// Config determines how containers of an image start, as in the OCI image specification.
type Config struct {
	Entrypoint []string `json:",omitempty"`
	Env        []string `json:",omitempty"`
	User       string   `json:",omitempty"`
	StopSignal string   `json:",omitempty"`
}

// manifest is an entry of an archive's manifest.json.
type manifest struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// Write writes an archive of images. The same images produce the same bytes.
func Write(out io.Writer, images ...Image) error {
	w := tar.NewWriter(out)
	digests := map[string]string{} // of the written layers, by file
	var manifests []manifest
	for _, image := range images {
		entry := manifest{RepoTags: image.Names}
		var diffIDs []string
		for _, layer := range image.Layers {
			digest, written := digests[layer]
			if !written {
				var err error
				if digest, err = writeLayer(w, layer); err != nil {
					return err
				}
				digests[layer] = digest
			}
			diffIDs = append(diffIDs, "sha256:"+digest)
			entry.Layers = append(entry.Layers, digest+".tar")
		}
		config, err := json.Marshal(map[string]any{
			"architecture": runtime.GOARCH,
			"os":           "linux",
			"created":      "1970-01-01T00:00:00Z",
			"config":       image.Config,
			"rootfs":       map[string]any{"type": "layers", "diff_ids": diffIDs},
		})
		if err != nil {
			return err
		}
		sum := sha256.Sum256(config)
		entry.Config = hex.EncodeToString(sum[:]) + ".json"
		if err := writeBytes(w, entry.Config, config); err != nil {
			return err
		}
		manifests = append(manifests, entry)
	}
	index, err := json.Marshal(manifests)
	if err != nil {
		return err
	}
	if err := writeBytes(w, "manifest.json", index); err != nil {
		return err
	}
	return w.Close()
}

// writeLayer copies a layer into an archive and returns its digest in hexadecimal.
func writeLayer(w *tar.Writer, path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	size, err := io.Copy(hash, file)
	if err != nil {
		return "", err
	}
	digest := hex.EncodeToString(hash.Sum(nil))
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	if err := w.WriteHeader(&tar.Header{Name: digest + ".tar", Mode: 0o644, Size: size}); err != nil {
		return "", err
	}
	if _, err := io.Copy(w, file); err != nil {
		return "", fmt.Errorf("layer %s: %w", path, err)
	}
	return digest, nil
}

func writeBytes(w *tar.Writer, name string, content []byte) error {
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}); err != nil {
		return err
	}
	_, err := w.Write(content)
	return err
}
