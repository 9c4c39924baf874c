package published_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/release"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmrender"
	truth "gitops-runtime/tests/preview"
	"gitops-runtime/tests/published"
	"gitops-runtime/validator/preview"
)

// A preview of an upgrade from the published chart: nothing is refused, and every pod restarts, since its images are stand-ins.
func TestPreviewOfAnUpgradeFromThePublishedChart(t *testing.T) {
	t.Parallel()
	objects, err := published.Objects(published.Options{Release: "runtime", Namespace: "codefresh", Runtime: "prod", Account: "acc1", Image: "example.com/stand-in:1"})
	require.NoError(t, err)
	var manifest strings.Builder
	for _, object := range objects {
		text, err := yaml.Marshal(object.Object)
		require.NoError(t, err)
		manifest.WriteString("---\n" + string(text))
	}
	loaded, err := helmchart.Load(t.Context(), helmchart.Source{Name: "../../charts/gitops-runtime"})
	require.NoError(t, err)
	text, err := os.ReadFile("../../charts/gitops-runtime/ci/tunnel-values.yaml")
	require.NoError(t, err)
	var values map[string]any
	require.NoError(t, yaml.Unmarshal(text, &values))
	after, err := helmrender.New(loaded).Release(values, helmrender.Options{Name: "runtime", Namespace: "codefresh", Upgrade: true})
	require.NoError(t, err)
	report, err := preview.Compare(t.Context(), preview.Input{
		Before: preview.Side{Title: "published", Release: &release.Release{Manifest: manifest.String()}}, After: preview.Side{Title: "here", Release: after},
		Namespace: "codefresh", Name: "runtime", Kubernetes: helmchart.TestedKubernetes, Hidden: preview.NewHidden(),
	})
	require.NoError(t, err)
	effects := truth.Predicted(report)
	assert.False(t, effects.Refused)
	var ends, starts []string
	for _, item := range report.Section("restarts").Items {
		switch item.Change {
		case "ends":
			ends = append(ends, item.Object)
		case "starts":
			starts = append(starts, item.Object)
		}
	}
	assert.Equal(t, []string{"Deployment/argo-cd-dex-server"}, ends)
	assert.Equal(t, []string{"Deployment/argo-cd-notifications-controller", "Deployment/argo-events-controller-manager", "Deployment/argo-rollouts"}, starts)
	assert.Len(t, effects.Restarted, 15)
	assert.Greater(t, len(effects.Created), 100)
	assert.NotEmpty(t, report.Section("reach").Items)
}
