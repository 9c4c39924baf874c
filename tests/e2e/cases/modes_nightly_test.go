//go:build e2e && nightly

package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/images"
)

// TestEveryModeRestricted checks that a runtime with the preset of the Pod Security level restricted works in every access mode, in a namespace that
// enforces the level.
func TestEveryModeRestricted(t *testing.T) {
	e := start(t).restricted()
	defer e.clean(t)
	for _, name := range []images.Mode{images.Tunnel, images.Ingress, images.Gateway, images.Mesh} {
		require.True(t, e.mode(t, name, func(t *testing.T, _ access) {
			e.run(t, "application", e.application)
			e.run(t, "rollout", e.rollout)
			e.run(t, "workflow", e.workflow)
			e.run(t, "repo server", e.repoServer)
			e.run(t, "promotion", e.promotion)
		}))
	}
}
