package local_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/validator/local"
)

// The embedded chart and its dependencies are those of the checkout.
func TestTheEmbeddedChartIsThatOfTheCheckout(t *testing.T) {
	t.Parallel()
	builtIn, err := local.BuiltIn(t.Context())
	require.NoError(t, err)
	loaded, err := helmchart.Load(t.Context(), helmchart.Source{Name: "../../charts/gitops-runtime"})
	require.NoError(t, err)
	checkout := helmchart.Of(loaded)
	assert.Equal(t, checkout.Version, builtIn.Version)
	assert.Equal(t, checkout.Defaults, builtIn.Defaults)
	assert.Equal(t, string(checkout.Schema), string(builtIn.Schema))
	var want, got []string
	for _, dependency := range checkout.Dependencies {
		if len(dependency.Schema) > 0 { // the library chart has no values
			want = append(want, dependency.Name+string(dependency.Schema))
		}
	}
	for _, dependency := range builtIn.Dependencies {
		if len(dependency.Schema) > 0 {
			got = append(got, dependency.Name+string(dependency.Schema))
		}
	}
	assert.Equal(t, want, got)
}
