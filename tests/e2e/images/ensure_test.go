package images

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/images/debian"
	"gitops-runtime/tests/e2e/images/gobuild"
	"gitops-runtime/tests/e2e/images/reach"
	"gitops-runtime/tests/e2e/images/store"
)

const helloImage = "registry.test/hello:1"

// steps is an observer that records the names of steps.
type steps struct {
	mu    sync.Mutex
	ended []string
}

func (s *steps) Begin(string) {}

func (s *steps) End(step string, _ time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		step += ": failed"
	}
	s.ended = append(s.ended, step)
}

// small returns a catalog of one tiny program in a checkout and a separate cache. All connections go to the server, or fail if it is nil.
func small(t *testing.T, server *httptest.Server) *Catalog {
	t.Helper()
	root, cache := t.TempDir(), t.TempDir()
	for file, content := range map[string]string{
		"go.mod": "module example.test/hello\n\ngo 1.24\n", "go.sum": "", "main.go": "package main\n\nfunc main() {}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(root, file), []byte(content), 0o600))
	}
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("no network")
	}}
	if server != nil {
		transport = server.Client().Transport.(*http.Transport).Clone()
		transport.TLSClientConfig.ServerName = "example.com" // in the server's certificate
		transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
		}
	}
	hello := gobuild.Program{Name: "hello", Package: "."}
	return &Catalog{
		rows:      []row{{name: helloImage, recipe: static(hello, "/bin/hello", argoUser)}},
		store:     store.Store{Dir: filepath.Join(cache, "images")},
		tools:     gobuild.Toolchain{Root: root, Cache: cache},
		commands:  debian.Machine(),
		probe:     reach.New(transport, time.Second),
		transport: transport,
		keys:      map[string]string{},
	}
}

func TestEnsureBuildsOnceAndTheSameEverywhere(t *testing.T) {
	ctx := context.Background()
	var digests []string
	for range 2 { // two machines
		catalog, seen := small(t, nil), &steps{}
		for range 2 {
			got, err := catalog.Ensure(ctx, []string{helloImage}, seen)
			require.NoError(t, err)
			assert.Equal(t, []Image{{Name: helloImage, Origin: BuiltFromSource}}, got)
		}
		assert.Equal(t, []string{"images: modules of hello", "images: build hello", "images: 1 cached"}, seen.ended)
		image, err := catalog.cached(ctx, helloImage)
		require.NoError(t, err)
		digest, err := image.Digest()
		require.NoError(t, err)
		digests = append(digests, digest.String())
	}
	assert.Equal(t, digests[0], digests[1])
}

func TestImageHasProgramFilesAndConfiguration(t *testing.T) {
	ctx, catalog := context.Background(), small(t, nil)
	_, err := catalog.Ensure(ctx, []string{helloImage}, nil)
	require.NoError(t, err)
	image, err := catalog.cached(ctx, helloImage)
	require.NoError(t, err)
	config, err := image.ConfigFile()
	require.NoError(t, err)
	assert.Equal(t, "8737", config.Config.User)
	assert.Equal(t, []string{"/bin/hello"}, config.Config.Entrypoint)
	assert.Equal(t, "/home/argo", config.Config.WorkingDir)
	assert.Equal(t, "linux", config.OS)
	var paths []string
	in := tar.NewReader(mutate.Extract(image))
	for header, err := in.Next(); !errors.Is(err, io.EOF); header, err = in.Next() {
		require.NoError(t, err)
		paths = append(paths, strings.Trim(header.Name, "/"))
	}
	assert.ElementsMatch(t, []string{
		"bin", "bin/hello", "etc", "etc/group", "etc/passwd", "etc/ssl", "etc/ssl/certs", "etc/ssl/certs/ca-certificates.crt",
		"home", "home/argo", "tmp",
	}, paths)
}

func TestEnsurePullsWhereTheRegistryAnswers(t *testing.T) {
	ctx := context.Background()
	server := httptest.NewTLSServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	catalog, seen := small(t, server), &steps{}
	published, err := random.Image(64, 1)
	require.NoError(t, err)
	target, err := name.NewTag(helloImage)
	require.NoError(t, err)

	t.Run("built when the registry lacks the image", func(t *testing.T) {
		got, err := catalog.Ensure(ctx, []string{helloImage}, seen)
		require.NoError(t, err)
		assert.Equal(t, []Image{{Name: helloImage, Origin: BuiltFromSource}}, got)
		assert.Equal(t, []string{"images: pull " + helloImage + ": failed", "images: modules of hello", "images: build hello"}, seen.ended)
	})
	t.Run("pulled when it has it", func(t *testing.T) {
		require.NoError(t, remote.Write(target, published, remote.WithTransport(catalog.transport)))
		catalog.store.Dir = t.TempDir()
		got, err := catalog.Ensure(ctx, []string{helloImage}, nil)
		require.NoError(t, err)
		assert.Equal(t, []Image{{Name: helloImage, Origin: Pulled}}, got)
	})
	t.Run("built when asked to", func(t *testing.T) {
		catalog.store.Dir, catalog.FromSource = t.TempDir(), true
		got, err := catalog.Ensure(ctx, []string{helloImage}, nil)
		require.NoError(t, err)
		assert.Equal(t, []Image{{Name: helloImage, Origin: BuiltFromSource}}, got)
	})
}

func TestEnsureErrors(t *testing.T) {
	ctx, catalog := context.Background(), small(t, nil)
	_, err := catalog.Images(ctx, []string{helloImage})
	require.EqualError(t, err, "images: registry.test/hello:1 is not in the cache yet: run `make install`")

	catalog.rows = append(catalog.rows, row{name: "registry.test/rare:1", recipe: onlyPulled()})
	_, err = catalog.Ensure(ctx, []string{helloImage, "registry.test/rare:1"}, nil)
	require.EqualError(t, err, "images: registry.test/rare:1 can only be pulled, and that failed: "+
		"see that this machine reaches its registry, or do without the image")

	require.NoError(t, os.WriteFile(filepath.Join(catalog.tools.Root, "main.go"), []byte("package main\n"), 0o600))
	catalog.keys = map[string]string{}
	_, err = catalog.Ensure(ctx, []string{helloImage}, nil)
	assert.ErrorContains(t, err, "images: building hello: go build in ")

	t.Setenv("PATH", t.TempDir())
	catalog.keys = map[string]string{}
	_, err = catalog.Ensure(ctx, []string{helloImage}, nil)
	assert.ErrorContains(t, err, "images: registry.test/hello:1: hello: the Go compiler is needed to build images from source")
}
