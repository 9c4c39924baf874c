package artifact

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// File is a file of an image; its content must not change while the image is used.
type File struct {
	Path    string
	Mode    int64
	Content []byte
}

// Platform is one of an image's platforms.
type Platform struct {
	OS, Architecture string
	// Layers contains the files of each layer.
	Layers [][]File
}

// Image is an image for several platforms, built from scratch.
type Image struct {
	Platforms   []Platform
	Config      v1.Config
	Annotations map[string]string
	Created     time.Time
}

// Index creates the image.
func (i Image) Index() (v1.ImageIndex, error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, platform := range i.Platforms {
		image, err := i.platform(platform)
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", platform.OS, platform.Architecture, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        image,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: platform.OS, Architecture: platform.Architecture}},
		})
	}
	annotated, ok := mutate.Annotations(index, i.Annotations).(v1.ImageIndex)
	if !ok {
		return nil, fmt.Errorf("annotations turned the index into %T", annotated)
	}
	return annotated, nil
}

func (i Image) platform(platform Platform) (v1.Image, error) {
	created := v1.Time{Time: i.Created.UTC()}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	for _, files := range platform.Layers {
		layer, err := layerOf(files)
		if err != nil {
			return nil, err
		}
		image, err = mutate.Append(image, mutate.Addendum{Layer: layer, History: v1.History{Created: created, CreatedBy: files[0].Path}})
		if err != nil {
			return nil, err
		}
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = platform.OS, platform.Architecture, created
	config.Config = i.Config
	config.Config.Labels = maps.Clone(i.Annotations)
	image, err = mutate.ConfigFile(image, config)
	if err != nil {
		return nil, err
	}
	annotated, ok := mutate.Annotations(image, i.Annotations).(v1.Image)
	if !ok {
		return nil, fmt.Errorf("annotations turned the image into %T", annotated)
	}
	return annotated, nil
}

// layerOf packs files with their folders, sorted and without times and owners.
func layerOf(files []File) (v1.Layer, error) {
	var packed bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	out := tar.NewWriter(zipped)
	for _, file := range withFolders(files) {
		if err := write(out, file); err != nil {
			return nil, fmt.Errorf("pack %s: %w", file.Path, err)
		}
	}
	if err := out.Close(); err != nil {
		return nil, err
	}
	if err := zipped.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed.Bytes())), nil },
		tarball.WithMediaType(types.OCILayer))
}

func withFolders(files []File) []File {
	all := map[string]File{}
	for _, file := range files {
		all[file.Path] = file
		for folder := path.Dir(file.Path); folder != "/"; folder = path.Dir(folder) {
			all[folder+"/"] = File{Path: folder + "/", Mode: 0o755}
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
}

func write(out *tar.Writer, file File) error {
	header := &tar.Header{
		Name: strings.TrimPrefix(file.Path, "/"), Mode: file.Mode, Size: int64(len(file.Content)),
		ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR, Typeflag: tar.TypeReg,
	}
	if strings.HasSuffix(file.Path, "/") {
		header.Typeflag = tar.TypeDir
	}
	if err := out.WriteHeader(header); err != nil {
		return err
	}
	_, err := out.Write(file.Content)
	return err
}
