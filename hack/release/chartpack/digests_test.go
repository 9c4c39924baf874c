package chartpack_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"

	"gitops-runtime/hack/release/chartpack"
	"gitops-runtime/hack/release/imagelock"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmrender"
)

// named matches references of images in manifests: of containers, in configurations, flags and variables.
var named = regexp.MustCompile(`[iI]mage(?:"?: "?|=)([a-z0-9.-]+/[a-z0-9./_-]+:[A-Za-z0-9._-]+(?:@sha256:[0-9a-f]{64})?|[a-z0-9.-]+/[a-z0-9./_-]+@sha256:[0-9a-f]{64})`)

// pinned matches what precedes a digest.
var pinned = regexp.MustCompile(`([A-Za-z0-9./_:-]+)@sha256:`)

// Every image that a published umbrella chart installs, its hooks included, is named by the digest of the lock. Another tag replaces the digest, too.
func TestEveryImageOfAPublishedChartHasItsDigest(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	place := published(t, "")
	listed, err := imagelock.Listed(root, place.Address.Images())
	require.NoError(t, err)
	place.Locked = map[string]string{}
	for i, image := range listed {
		place.Locked[image] = "sha256:" + strings.Repeat(string("abcdef"[i%6]), 62) + string("0123456789"[i/10]) + string("0123456789"[i%10])
	}
	packed, err := chartpack.Pack(t.Context(), filepath.Join(root, "charts", "gitops-runtime"), place)
	require.NoError(t, err)
	archive := filepath.Join(t.TempDir(), "gitops-runtime.tgz")
	require.NoError(t, os.WriteFile(archive, packed.Content, 0o600))
	loaded, err := helmchart.Load(t.Context(), helmchart.Source{Name: archive})
	require.NoError(t, err)
	own := []string{"ghcr.io/team/gitops-runtime-installer", "ghcr.io/team/validate-values"}
	for _, of := range []string{"tunnel", "everything-on"} {
		given, err := chartutil.ReadValuesFile(filepath.Join(root, "charts", "gitops-runtime", "ci", of+"-values.yaml"))
		require.NoError(t, err)
		release, err := helmrender.New(loaded).Release(given, helmrender.Options{Name: "cf", Namespace: "codefresh"})
		require.NoError(t, err)
		text := release.Manifest
		for _, hook := range release.Hooks {
			text += hook.Manifest
		}
		var seen []string
		for _, found := range named.FindAllStringSubmatch(text, -1) {
			reference, digest, found := strings.Cut(found[1], "@")
			assert.True(t, found, "%s: %s has no digest", of, reference)
			if locked, foreign := place.Locked[reference]; foreign {
				assert.Equal(t, locked, digest, reference)
			} else {
				assert.Contains(t, own, reference)
			}
			seen = append(seen, reference)
		}
		for _, found := range pinned.FindAllStringSubmatch(text, -1) {
			assert.True(t, place.Locked[found[1]] != "" || slices.Contains(own, found[1]), "%s: %s is not an image and has a digest", of, found[1])
		}
		slices.Sort(seen)
		assert.Greater(t, len(slices.Compact(seen)), 18, of)
	}
	for line := range strings.Lines(packed.Metadata.Annotations["artifacthub.io/images"]) {
		assert.True(t, !strings.Contains(line, "image: ") || strings.Contains(line, "@sha256:"), "ArtifactHub shows %s", line)
	}

	given := map[string]any{"app-proxy": map[string]any{"image": map[string]any{"tag": "1.2.3"}}}
	base, err := chartutil.ReadValuesFile(filepath.Join(root, "charts", "gitops-runtime", "ci", "tunnel-values.yaml"))
	require.NoError(t, err)
	release, err := helmrender.New(loaded).Release(chartutil.MergeTables(given, base), helmrender.Options{Name: "cf", Namespace: "codefresh"})
	require.NoError(t, err)
	assert.Regexp(t, `image: quay.io/codefresh/cap-app-proxy:1\.2\.3\n`, release.Manifest)
}
