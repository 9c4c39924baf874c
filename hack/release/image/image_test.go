package image_test

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/hack/release/image"
	"gitops-runtime/hack/release/source"
)

// compiled replaces the compiler: the content of the program is its package, architecture and version.
func compiled(t *testing.T) image.Compiler {
	t.Helper()
	folder := t.TempDir()
	return func(_ context.Context, program image.Program, architecture, version string) (string, error) {
		file := filepath.Join(folder, architecture)
		return file, os.WriteFile(file, []byte(program.Package+" "+architecture+" "+version), 0o600)
	}
}

// files returns the regular files of an image with their content.
func files(t *testing.T, of v1.Image) map[string]string {
	t.Helper()
	found := map[string]string{}
	content := mutate.Extract(of)
	defer content.Close()
	for reader := tar.NewReader(content); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		require.NoError(t, err)
		if header.Typeflag == tar.TypeReg {
			text, err := io.ReadAll(reader)
			require.NoError(t, err)
			found[header.Name] = string(text)
		}
	}
}

// An archive contains the image that a release publishes for the architecture.
func TestArchive(t *testing.T) {
	from := source.Source{Revision: "abc", Time: time.Unix(1000, 0).UTC()}
	for _, program := range image.Programs() {
		t.Run(program.Name, func(t *testing.T) {
			made, err := image.Make(t.Context(), compiled(t), program, from, "1.2.3", image.Architectures()...)
			require.NoError(t, err)
			file := filepath.Join(t.TempDir(), "out", "image.tar")
			loaded, err := made.WriteArchive(file, program, "arm64", "1.2.3")
			require.NoError(t, err)
			assert.Equal(t, program.Name+":1.2.3", loaded)

			read, err := tarball.ImageFromPath(file, nil)
			require.NoError(t, err)
			config, err := read.ConfigFile()
			require.NoError(t, err)
			assert.Equal(t, "arm64", config.Architecture)
			assert.Equal(t, program.Config().Entrypoint, config.Config.Entrypoint)
			assert.Equal(t, "65532:65532", config.Config.User)
			assert.Equal(t, map[string]string{
				image.AuthoritiesPath[1:]: image.Authorities(),
				program.Path[1:]:          program.Package + " arm64 1.2.3",
			}, files(t, read))

			_, err = made.WriteArchive(file, program, "s390x", "1.2.3")
			assert.EqualError(t, err, "image "+program.Name+":1.2.3: it is not built for the architecture s390x")
		})
	}
}
