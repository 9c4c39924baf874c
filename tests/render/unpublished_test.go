package render_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A checkout whose address is not set has no image for its hooks: it renders, but an install or upgrade on a cluster, whose API versions have kinds, is
// rejected before anything is created.
func TestAnUnpublishedChartIsRejectedOnACluster(t *testing.T) {
	t.Parallel()
	onCluster := []string{"v1/Namespace", "apps/v1/Deployment"}
	const unset = "address-not-set.invalid/gitops-runtime-installer"
	for name, test := range map[string]struct {
		repository string
		apis       []string
		rejected   bool
	}{
		"without a cluster":      {unset, nil, false},
		"on a cluster":           {unset, onCluster, true},
		"with an image":          {"ghcr.io/acme/runtime/gitops-runtime-installer", onCluster, false},
		"with a loaded image":    {"gitops-runtime-installer", onCluster, false},
		"API versions, no kinds": {unset, []string{"monitoring.coreos.com/v1"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			release := umbrella("tunnel", map[string]string{"installer.image.repository": test.repository})
			release.APIs = test.apis
			_, err := release.Made(t)
			if !test.rejected {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, "installer.image.repository names no registry, because this chart is a checkout that was not published. "+
				"Publish it (make publish REGISTRY=<host/path>) and install it from there, or push the image that `make program-images` writes and set installer.image.repository to its name")
		})
	}
	released := umbrella("tunnel", map[string]string{"installer.image.registry": "registry.example.com/mirror"})
	released.APIs = onCluster
	_, err := released.Made(t)
	assert.NoError(t, err, "a registry replaces the one that does not exist")
}
