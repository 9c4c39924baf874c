//go:build e2e && nightly

package e2e_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
)

// TestInPlaceModes is TestInPlace for what the published chart renders in other modes. Its mode of high availability needs three nodes: each pod of its
// Redis requires a node of its own.
func TestInPlaceModes(t *testing.T) {
	for published, to := range map[string]images.Mode{"ingress": images.Ingress, "mesh": images.Mesh, "httproute": images.Gateway} {
		t.Run(published, func(t *testing.T) {
			e := start(t).by(helm4)
			defer e.clean(t)
			e.inPlace(t, upgradeFrom{mode: published, to: to})
		})
	}
	t.Run("0.24.0", func(t *testing.T) {
		e := start(t).by(helm4)
		defer e.clean(t)
		e.inPlace(t, upgradeFrom{chart: "gitops-runtime-0.24.0", to: images.Tunnel})
	})
	t.Run("external argo cd", func(t *testing.T) {
		n := &neighbors{environment: start(t).by(helm4)}
		defer n.clean(t)
		require.True(t, n.run(t, "others", n.installOthers), "there is no other Argo CD")
		n.inPlace(t, upgradeFrom{mode: "ext-token-secret", to: images.Mesh, external: true, files: []string{file(t, fmt.Sprintf(tokenValues, n.apiKey(t)))}})
	})
	t.Run("pods never ready", func(t *testing.T) {
		e := start(t).by(helm4)
		defer e.clean(t)
		e.documentedNode(t).inPlace(t, upgradeFrom{to: images.Tunnel, image: install.RegistryInCluster + "/gitops-runtime/absent:dev"})
	})
}
