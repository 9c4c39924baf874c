package render_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/manifests"
)

// Every object of every combination of toggles is valid by the schemas of Kubernetes and of the charts' CRDs; tests/golden tests the access modes.
func TestEveryObjectFitsItsSchema(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	validator, err := manifests.NewValidator(t.Context(), root)
	require.NoError(t, err)
	for _, set := range toggles() {
		set["global.networkPolicy.restrictEgress"] = "true"
		t.Run(set["argo-cd.enabled"]+set["argo-events.enabled"]+set["argo-rollouts.enabled"]+set["argo-workflows.enabled"], func(t *testing.T) {
			t.Parallel()
			text, err := umbrella("tunnel", set).Text(t)
			require.NoError(t, err)
			assert.Empty(t, validator.Validate(text))
		})
	}
}

// The schemas reject neighbors that an API server would reject.
func TestNeighborsAreExpressionsOfALabelSelector(t *testing.T) {
	t.Parallel()
	for neighbor, want := range map[string]string{
		`{"key": "a", "operator": "Exists"}`:                 "",
		`{"namespaceSelector": {"matchLabels": {"a": "b"}}}`: "'/global/networkPolicy/neighbors/0'",
		`{"key": "a", "operator": "Is"}`:                     "'/global/networkPolicy/neighbors/0/operator'",
	} {
		release := umbrella("tunnel", nil)
		release.SetJSON = map[string]string{"global.networkPolicy.neighbors": "[" + neighbor + "]"}
		_, err := release.Text(t)
		if want == "" {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorContains(t, err, want)
	}
}
