package publish_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/hack/release/address"
	"gitops-runtime/hack/release/image"
	"gitops-runtime/hack/release/imagelock"
	"gitops-runtime/hack/release/plugin"
	"gitops-runtime/hack/release/publish"
	"gitops-runtime/hack/release/releasetest"
	"gitops-runtime/hack/release/source"
	"gitops-runtime/hack/release/verify"
	"gitops-runtime/hack/release/version"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/registry"
	"gitops-runtime/internal/registry/registrytest"
)

// world is a registry and a release of this repository, with small programs, that is published to it.
type world struct {
	*registrytest.Registry
	publisher publish.Publisher
	signer    *releasetest.Signer
	// expected has the fields of the verifier that a test sets.
	expected verify.Verifier
	mu       sync.Mutex
	writes   []string
	// byTag are the images that the verified charts name without a digest.
	byTag []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	root, err := gomodule.Root()
	require.NoError(t, err)
	current, err := version.Read(root)
	require.NoError(t, err)
	product, err := address.Read(root)
	require.NoError(t, err)
	w := &world{Registry: registrytest.Start(t), signer: releasetest.NewSigner(t)}
	w.publisher = publish.Publisher{
		Root: root, Registry: w.Name + "/team/runtime", Version: current, Builder: "urn:test", Compile: releasetest.Compiler(t), Signer: w.signer, Address: product,
		Access: registry.Access{Pause: time.Millisecond},
		// small charts, and the one that references an image; TestASecondRunWritesNothing publishes all
		Charts: []string{"argo-events", "gitops-runtime", "tunnel-server"},
		Source: source.Source{Revision: strings.Repeat("a", 40), Time: time.Unix(1_700_000_000, 0), URL: "https://git.example.com/team/repo"},
	}
	w.failing(nil)
	return w
}

// failing starts to count writes and makes some requests fail.
func (w *world) failing(fail registrytest.Fault) {
	w.mu.Lock()
	w.writes = nil
	w.mu.Unlock()
	w.Failing(func(answer http.ResponseWriter, request *http.Request) bool {
		if request.Method != http.MethodGet && request.Method != http.MethodHead {
			w.mu.Lock()
			w.writes = append(w.writes, request.Method+" "+request.URL.Path)
			w.mu.Unlock()
		}
		return fail != nil && fail(answer, request)
	})
}

func (w *world) written() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.writes)
}

// publish publishes the release and returns all references, and the written ones.
func (w *world) publish(t *testing.T) (all, written []string, err error) {
	t.Helper()
	publisher := w.publisher
	publisher.Report = func(event publish.Event) {
		all = append(all, event.Reference)
		if event.Written {
			written = append(written, event.Reference)
		}
	}
	err = publisher.Publish(t.Context())
	slices.Sort(all)
	return all, written, err
}

// verify returns the defects by artifact.
func (w *world) verify(t *testing.T) (map[string][]string, error) {
	t.Helper()
	defects := map[string][]string{}
	verifier := w.expected
	verifier.Registry = cmp.Or(verifier.Registry, w.publisher.Registry)
	verifier.Version, verifier.Access, verifier.Signatures, verifier.Charts = w.publisher.Version, registry.Access{Attempts: 1}, w.signer, w.publisher.Charts
	w.byTag = nil
	verifier.Report = func(result verify.Result) {
		w.byTag = append(w.byTag, result.ByTag...)
		if len(result.Defects) > 0 {
			defects[strings.TrimPrefix(result.Reference, verifier.Registry+"/")] = result.Defects
		}
	}
	for _, one := range w.publisher.Plugins {
		verifier.Plugins = append(verifier.Plugins, one.Name)
	}
	for _, program := range image.Programs() {
		verifier.Images = append(verifier.Images, program.Name)
	}
	return defects, verifier.Verify(t.Context())
}

func TestASecondRunWritesNothing(t *testing.T) {
	w := newWorld(t)
	var err error
	w.publisher.Charts, err = publish.Charts(w.publisher.Root)
	require.NoError(t, err)
	w.publisher.Plugins = plugin.Plugins()
	first, written, err := w.publish(t)
	require.NoError(t, err)
	require.Len(t, first, 14, "3 images, 10 charts and a plugin")
	require.Len(t, written, 14)
	require.Equal(t, 42, w.signer.Signed())
	defects, err := w.verify(t)
	require.NoError(t, err)
	require.Empty(t, defects)

	w.failing(nil)
	second, written, err := w.publish(t)
	require.NoError(t, err)
	require.Equal(t, first, second)
	require.Empty(t, written)
	require.Empty(t, w.written())
	require.Equal(t, 42, w.signer.Signed())

	listed, err := imagelock.Listed(w.publisher.Root, w.publisher.Address.Images())
	require.NoError(t, err)
	slices.Sort(w.byTag)
	require.Equal(t, listed, slices.Compact(w.byTag), "a chart that was published without locked images")

	other := newWorld(t)
	other.publisher.Locked = map[string]string{}
	for _, image := range listed {
		other.publisher.Locked[image] = "sha256:" + strings.Repeat("a", 64)
	}
	other.publisher.Compile, other.publisher.Registry = w.publisher.Compile, other.Name+"/team/runtime"
	elsewhere, _, err := other.publish(t)
	require.NoError(t, err)
	for _, reference := range elsewhere {
		_, named, _ := strings.Cut(reference, "/")
		if strings.Contains(named, "/image-override:") || strings.Contains(named, "/gitops-runtime-installer:") || strings.Contains(named, "/validate-values:") {
			require.Contains(t, first, w.Name+"/"+named, "the image depends on where it is built or published")
		}
	}
	defects, err = other.verify(t)
	require.NoError(t, err)
	require.Empty(t, defects)
	require.Empty(t, other.byTag, "a chart that was published with locked images")
}

// A run that was interrupted at any write is completed by the next one, without repeated uploads.
func TestRunContinuesAnInterruptedOne(t *testing.T) {
	w := newWorld(t)
	for _, writes := range []int{3, 12, 25} {
		ctx, cancel := context.WithCancel(t.Context())
		count := 0
		w.failing(func(_ http.ResponseWriter, request *http.Request) bool {
			if request.Method == http.MethodPut {
				w.mu.Lock()
				defer w.mu.Unlock()
				if count++; count == writes {
					cancel()
				}
			}
			return false
		})
		err := w.publisher.Publish(ctx)
		require.ErrorIs(t, err, context.Canceled, "after %d writes", writes)
	}
	w.failing(nil)
	all, _, err := w.publish(t)
	require.NoError(t, err)
	require.Len(t, all, 6)
	defects, err := w.verify(t)
	require.NoError(t, err)
	require.Empty(t, defects)
}

func TestAPublishedVersionIsNotOverwritten(t *testing.T) {
	w := newWorld(t)
	_, _, err := w.publish(t)
	require.NoError(t, err)
	w.failing(nil)
	w.publisher.Source.Revision = strings.Repeat("b", 40)
	_, _, err = w.publish(t)
	require.Regexp(t, `^127\.0\.0\.1:\d+/team/runtime/gitops-runtime-installer:\S+ is published with another content \(sha256:[0-9a-f]{64}, this checkout makes sha256:[0-9a-f]{64}\): raise the version in the file VERSION, or overwrite what users have verified with --replace$`, err.Error())
	require.Empty(t, w.written())

	w.publisher.Replace = true
	_, written, err := w.publish(t)
	require.NoError(t, err)
	require.Len(t, written, 6)
	defects, err := w.verify(t)
	require.NoError(t, err)
	require.Empty(t, defects)
}

func TestRefusals(t *testing.T) {
	for title, test := range map[string]struct {
		status int
		method string
		body   string
		want   string
	}{
		"no login":     {http.StatusUnauthorized, http.MethodPost, "", "answers 401; log in with `helm registry login HOST` or `docker login HOST`"},
		"no right":     {http.StatusForbidden, http.MethodPost, "", "answers 403; the account in use at HOST lacks permission; use another one"},
		"a mirror":     {http.StatusMethodNotAllowed, http.MethodPost, "", "answers 405; HOST takes no writes here, as a mirror does; name the registry that it mirrors"},
		"full":         {http.StatusInsufficientStorage, http.MethodPatch, "", "answers 507; HOST has no space left; free some space and run again"},
		"full, by 500": {http.StatusInternalServerError, http.MethodPatch, `{"errors":[{"code":"UNKNOWN","message":"write /data: no space left on device"}]}`, "answers 500 (write /data: no space left on device); HOST has no space left; free some space and run again"},
	} {
		t.Run(title, func(t *testing.T) {
			w := newWorld(t)
			w.failing(func(answer http.ResponseWriter, request *http.Request) bool {
				if request.Method != test.method {
					return false
				}
				answer.Header().Set("Content-Type", "application/json")
				answer.WriteHeader(test.status)
				_, _ = fmt.Fprint(answer, test.body)
				return true
			})
			_, _, err := w.publish(t)
			require.EqualError(t, err, "publish "+w.publisher.Registry+"/gitops-runtime-installer:"+w.publisher.Version+" failed: "+w.Name+" "+strings.ReplaceAll(test.want, "HOST", w.Name))

			w.failing(nil)
			_, _, err = w.publish(t)
			require.NoError(t, err, "the next run does not continue")
		})
	}
}

func TestPublishWaitsForABusyRegistry(t *testing.T) {
	w := newWorld(t)
	var mu sync.Mutex
	answered, waited := map[string]int{}, 0
	w.publisher.Access.Waiting = func(registry.Wait) {
		mu.Lock()
		defer mu.Unlock()
		waited++
	}
	w.failing(func(answer http.ResponseWriter, request *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		kind := request.Method + strings.Join(strings.SplitAfter(request.URL.Path, "/")[:2], "")
		if answered[kind]++; answered[kind] > 2 {
			return false
		}
		answer.Header().Set("Retry-After", "0")
		answer.WriteHeader(http.StatusTooManyRequests)
		return true
	})
	_, _, err := w.publish(t)
	require.NoError(t, err)
	require.Greater(t, waited, 4, "GET, HEAD, POST, PATCH and PUT were not all delayed")
	w.failing(nil)
	defects, err := w.verify(t)
	require.NoError(t, err)
	require.Empty(t, defects)
}

// swap serves other bytes instead of a blob or manifest.
func (w *world) swap(path string, change func([]byte) []byte) {
	w.failing(func(answer http.ResponseWriter, request *http.Request) bool {
		if request.Method != http.MethodGet || !strings.HasSuffix(request.URL.Path, path) || request.Header.Get("X-Inner") != "" {
			return false
		}
		again, err := http.NewRequestWithContext(request.Context(), http.MethodGet, "http://"+w.Name+request.URL.Path, nil)
		if err != nil {
			return false
		}
		again.Header = request.Header.Clone()
		again.Header.Set("X-Inner", "1")
		response, err := http.DefaultClient.Do(again)
		if err != nil {
			return false
		}
		defer response.Body.Close()
		content, err := io.ReadAll(response.Body)
		if err != nil {
			return false
		}
		answer.Header().Set("Content-Type", response.Header.Get("Content-Type"))
		_, _ = answer.Write(change(content))
		return true
	})
}

// oneByte returns the content with one changed byte.
func oneByte(content []byte) []byte {
	changed := slices.Clone(content)
	changed[len(changed)/2] ^= 1
	return changed
}

func TestChangedBytesAreReported(t *testing.T) {
	w := newWorld(t)
	_, _, err := w.publish(t)
	require.NoError(t, err)
	index, err := remote.Index(w.at(t, "image-override"))
	require.NoError(t, err)
	platforms, err := index.IndexManifest()
	require.NoError(t, err)
	arm, err := index.Image(platforms.Manifests[1].Digest)
	require.NoError(t, err)
	layers, err := arm.Manifest()
	require.NoError(t, err)
	chart, err := remote.Image(w.at(t, "tunnel-server"))
	require.NoError(t, err)
	packed, err := chart.Manifest()
	require.NoError(t, err)

	for title, test := range map[string]struct{ path, artifact, want string }{
		"a program in a layer":        {"/blobs/" + layers.Layers[1].Digest.String(), "image-override", "its platform linux/"},
		"a configuration":             {"/blobs/" + layers.Config.Digest.String(), "image-override", "its platform linux/arm64 does not match its digest: "},
		"a manifest of a platform":    {"/manifests/" + platforms.Manifests[1].Digest.String(), "image-override", "its platform linux/arm64 does not match its digest: manifest digest: "},
		"a packed chart":              {"/blobs/" + packed.Layers[0].Digest.String(), "tunnel-server", "the chart does not match its digest: blob " + packed.Layers[0].Digest.String()},
		"metadata of a chart":         {"/blobs/" + packed.Config.Digest.String(), "tunnel-server", "the chart does not match its digest: "},
		"the manifest of a chart tag": {"/tunnel-server/manifests/" + w.publisher.Version, "tunnel-server", "has no valid signature: nothing of the kind is attached; the tag may have been moved"},
	} {
		t.Run(title, func(t *testing.T) {
			w.swap(test.path, func(content []byte) []byte {
				if strings.Contains(test.path, "/manifests/") {
					return []byte(strings.Replace(string(content), `"Apache-2.0"`, `"Apache-2.1"`, 1))
				}
				return oneByte(content)
			})
			defects, err := w.verify(t)
			require.EqualError(t, err, "1 of 6 images and charts at "+w.publisher.Registry+" are not what was released; do not install them")
			require.Contains(t, strings.Join(defects[test.artifact+":"+w.publisher.Version], "\n"), test.want)
			require.Len(t, defects, 1)
		})
	}
}

func TestAMovedTagIsReported(t *testing.T) {
	w := newWorld(t)
	_, _, err := w.publish(t)
	require.NoError(t, err)
	forged, err := mutate.AppendLayers(empty.Image, static.NewLayer([]byte("other"), "application/vnd.cncf.helm.chart.content.v1.tar+gzip"))
	require.NoError(t, err)
	registrytest.Push(t, w.publisher.Registry+"/argo-events:"+w.publisher.Version, forged)
	registrytest.Push(t, w.publisher.Registry+"/gitops-runtime-installer:"+w.publisher.Version, registrytest.List(t, "forged", 10))
	defects, err := w.verify(t)
	require.EqualError(t, err, "3 of 6 images and charts at "+w.publisher.Registry+" are not what was released; do not install them")
	for _, named := range []string{"argo-events", "gitops-runtime-installer"} {
		said := strings.Join(defects[named+":"+w.publisher.Version], "\n")
		for _, kind := range []string{"signature", "SBOM", "provenance"} {
			assert.Contains(t, said, "has no valid "+kind+": nothing of the kind is attached; the tag may have been moved to another manifest")
		}
	}
	require.Len(t, defects["gitops-runtime:"+w.publisher.Version], 1)
	require.Regexp(t, `its values name the image \S+/gitops-runtime-installer@sha256:\S+, and sha256:\S+ was verified`, defects["gitops-runtime:"+w.publisher.Version][0])
}

func TestSignaturesOfOthersDoNotCount(t *testing.T) {
	w := newWorld(t)
	_, _, err := w.publish(t)
	require.NoError(t, err)
	w.signer = releasetest.NewSigner(t)
	defects, err := w.verify(t)
	require.ErrorContains(t, err, "6 of 6 images and charts")
	require.Len(t, defects, 6)
	require.Contains(t, defects["argo-events:"+w.publisher.Version][0], "has no valid signature: not signed by the key of the test")

	w.publisher.Signer = w.signer
	_, written, err := w.publish(t)
	require.NoError(t, err)
	require.Len(t, written, 6, "the other key does not sign the existing artifacts")
	defects, err = w.verify(t)
	require.NoError(t, err)
	require.Empty(t, defects)
}

func TestMissingArtifactsAreReported(t *testing.T) {
	w := newWorld(t)
	defects, err := w.verify(t)
	require.ErrorContains(t, err, "6 of 6 images and charts")
	require.Equal(t, []string{"it is missing"}, defects["tunnel-server:"+w.publisher.Version])
}
