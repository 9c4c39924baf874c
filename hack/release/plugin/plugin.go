// Package plugin packages the plugins of Helm 4 for publishing. The same input produces the same bytes.
package plugin

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"sigs.k8s.io/yaml"
)

// Plugin is a plugin of the repository.
type Plugin struct {
	// Name is the name of its repository below the registry; the repository with only the program's name contains the program's image.
	Name string
	// Folder is its path in the checkout.
	Folder, Description string
}

// Plugins returns all plugins.
func Plugins() []Plugin {
	return []Plugin{{
		Name: "image-override-plugin", Folder: "imageoverride/plugins/image-override",
		Description: "Helm 4 finds image-override as a post-renderer by this plugin",
	}}
}

// Pack packs the plugin of a checkout. The metadata is the content of its plugin.yaml: https://helm.sh/docs/topics/plugins/
func Pack(root string, plugin Plugin) (packed []byte, metadata map[string]any, err error) {
	folder := filepath.Join(root, filepath.FromSlash(plugin.Folder))
	text, err := os.ReadFile(filepath.Join(folder, "plugin.yaml"))
	if err != nil {
		return nil, nil, fmt.Errorf("plugin %s: %w", plugin.Name, err)
	}
	if err := yaml.Unmarshal(text, &metadata); err != nil {
		return nil, nil, fmt.Errorf("plugin %s: %w", plugin.Name, err)
	}
	var content bytes.Buffer
	zipped := gzip.NewWriter(&content)
	out := tar.NewWriter(zipped)
	// fs.WalkDir visits files in the order of their names
	err = fs.WalkDir(os.DirFS(folder), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return add(out, path.Join(fmt.Sprint(metadata["name"]), name), filepath.Join(folder, name))
	})
	if err != nil {
		return nil, nil, fmt.Errorf("plugin %s: %w", plugin.Name, err)
	}
	if err := out.Close(); err != nil {
		return nil, nil, err
	}
	if err := zipped.Close(); err != nil {
		return nil, nil, err
	}
	return content.Bytes(), metadata, nil
}

func add(out *tar.Writer, name, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	header := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), ModTime: time.Unix(0, 0), Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
	if err := out.WriteHeader(header); err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}
