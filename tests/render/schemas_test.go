package render_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/manifests"
)

// Every object of every access mode and combination of toggles is valid by the schemas of Kubernetes and of the charts' CRDs.
func TestEveryObjectFitsItsSchema(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	validator, err := manifests.NewValidator(t.Context(), root)
	require.NoError(t, err)
	check := func(t *testing.T, mode string, set map[string]string) {
		text, err := umbrella(mode, set).Text(t)
		require.NoError(t, err)
		assert.Empty(t, validator.Validate(text), "%s %v", mode, set)
	}
	for _, mode := range modes() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			check(t, mode, nil)
		})
	}
	for _, set := range toggles() {
		set["global.networkPolicy.restrictEgress"] = "true"
		t.Run(set["argo-cd.enabled"]+set["argo-events.enabled"]+set["argo-rollouts.enabled"]+set["argo-workflows.enabled"], func(t *testing.T) {
			t.Parallel()
			check(t, "tunnel", set)
		})
	}
}
