package nodeimage

import (
	"archive/tar"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	registryname "github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/internal/process"
)

// maker is a fake of the build programs: it creates the files that they would write, and records the calls.
type maker struct {
	calls []string
	mu    chan struct{}
}

func newMaker() *maker { return &maker{mu: make(chan struct{}, 1)} }

func (m *maker) run(_ context.Context, c process.Command) (string, error) {
	m.mu <- struct{}{}
	m.calls = append(m.calls, c.Name+" "+c.Args[0])
	<-m.mu
	switch {
	case c.Name == "apt-get":
		return "Debian|Debian|http://mirror.test/debian/", nil
	case c.Name == "mmdebstrap":
		return "", os.WriteFile(c.Args[len(c.Args)-2], nil, 0o600)
	case c.Name == "go":
		return "", os.WriteFile(c.Args[slices.Index(c.Args, "-o")+1], []byte(c.Dir), 0o600)
	}
	return "", nil
}

// builder returns a Builder whose sources are small fake files.
func builder(t *testing.T, run process.Runner) Builder {
	t.Helper()
	root := t.TempDir()
	b := Builder{
		Programs: filepath.Join(root, "programs"), Kind: filepath.Join(root, "kind"), Cache: filepath.Join(root, "cache"), Run: run,
	}
	sources := []string{"programs/kubernetes/main.go", "programs/node/go.mod"}
	for _, name := range kindFiles {
		sources = append(sources, "kind/"+name)
	}
	for _, source := range sources {
		write(t, filepath.Join(root, source), "as it was")
	}
	return b
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestImageIsNamedByItsSources(t *testing.T) {
	b := builder(t, nil)
	first, err := b.Image()
	require.NoError(t, err)
	assert.Regexp(t, "^gitops-runtime/node:"+Kubernetes+"-[0-9a-f]{12}$", first)

	write(t, filepath.Join(b.Programs, "node", "go.sum"), "sums that go has added")
	same, err := b.Image()
	require.NoError(t, err)
	assert.Equal(t, first, same)

	write(t, filepath.Join(b.Programs, "node", "go.mod"), "another version")
	other, err := b.Image()
	require.NoError(t, err)
	assert.NotEqual(t, first, other)

	require.NoError(t, os.RemoveAll(b.Kind))
	_, err = b.Image()
	assert.ErrorContains(t, err, "what the node image is made of: ")
}

func TestArchiveIsBuiltOnce(t *testing.T) {
	if _, err := os.Stat("/usr/bin/mmdebstrap"); err != nil {
		t.Setenv("PATH", pathWith(t, "mmdebstrap"))
	}
	fake := newMaker()
	b := builder(t, fake.run)
	stale := filepath.Join(b.Cache, "node-v1.0.0-000000000000.tar")
	write(t, stale, "of an earlier checkout")

	path, err := b.Archive(context.Background())
	require.NoError(t, err)
	slices.Sort(fake.calls)
	assert.Equal(t, []string{
		"apt-get indextargets", "go build", "go build", "go build", "go build", "go build",
		"mmdebstrap --variant=extract", "mmdebstrap --variant=minbase",
	}, fake.calls)
	assert.NoFileExists(t, stale)

	fake.calls = nil
	again, err := b.Archive(context.Background())
	require.NoError(t, err)
	assert.Equal(t, path, again)
	assert.Empty(t, fake.calls, "the archive is in the cache")

	left, err := filepath.Glob(filepath.Join(b.Cache, "work-*"))
	require.NoError(t, err)
	assert.Empty(t, left)
	checkNode(t, b, path)
}

// pathWith returns the search path with a program of this name added.
func pathWith(t *testing.T, program string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, program), []byte("#!/bin/sh\n"), 0o700))
	return dir + ":" + os.Getenv("PATH")
}

// checkNode checks the name, the number of layers and the configuration of the image in an archive.
func checkNode(t *testing.T, b Builder, path string) {
	t.Helper()
	name, err := b.Image()
	require.NoError(t, err)
	tag, err := registryname.NewTag(name)
	require.NoError(t, err)
	image, err := tarball.ImageFromPath(path, &tag)
	require.NoError(t, err)
	layers, err := image.Layers()
	require.NoError(t, err)
	assert.Len(t, layers, 2)
	config, err := image.ConfigFile()
	require.NoError(t, err)
	assert.Equal(t, v1.Config{
		Entrypoint: []string{"/usr/local/bin/entrypoint", "/sbin/init"},
		Env:        []string{"container=docker", searchPath},
		StopSignal: "SIGRTMIN+3",
	}, config.Config)
}

// contentOf returns the content of the files in a tar stream by their names; the content of a symbolic link is "-> target".
func contentOf(t *testing.T, stream io.Reader) map[string]string {
	t.Helper()
	content := map[string]string{}
	for r := tar.NewReader(stream); ; {
		header, err := r.Next()
		if err == io.EOF {
			return content
		}
		require.NoError(t, err)
		text, err := io.ReadAll(r)
		require.NoError(t, err)
		if header.Typeflag == tar.TypeSymlink {
			text = []byte("-> " + header.Linkname)
		}
		if !strings.HasSuffix(header.Name, "/") {
			content[header.Name] = string(text)
		}
	}
}
