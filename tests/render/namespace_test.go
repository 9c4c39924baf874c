package render_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"gitops-runtime/tests/render"
)

// TestSingleNamespaceWatchesNoOther tests that an Argo CD with access to a single namespace does not watch Applications in others: it would never
// become ready.
func TestSingleNamespaceWatchesNoOther(t *testing.T) {
	t.Parallel()
	for single, want := range map[string]string{"true": "", "false": "cf-*"} {
		objects := umbrella("mesh", map[string]string{"global.runtime.singleNamespace": single}).Objects(t)
		params, err := render.As[corev1.ConfigMap](render.Find(objects, "ConfigMap", "argocd-cmd-params-cm"))
		require.NoError(t, err)
		assert.Equal(t, want, params.Data["application.namespaces"], single)
	}
}
