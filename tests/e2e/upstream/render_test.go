package upstream_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/release"
	helmtime "helm.sh/helm/v3/pkg/time"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmrender"
)

// byAction returns the release that Helm's install action creates without a cluster.
func byAction(of *chart.Chart, values map[string]any, options helmrender.Options) (*release.Release, error) {
	install := action.NewInstall(&action.Configuration{})
	install.ReleaseName, install.Namespace, install.APIVersions = options.Name, options.Namespace, options.APIVersions
	install.DryRun, install.ClientOnly, install.Replace = true, true, true
	version, err := chartutil.ParseKubeVersion(helmchart.TestedKubernetes)
	if err != nil {
		return nil, err
	}
	install.KubeVersion = version
	return install.Run(of, values)
}

// stored returns a release as Helm stores it, without the time.
func stored(t *testing.T, of *release.Release) string {
	t.Helper()
	info := *of.Info
	info.FirstDeployed, info.LastDeployed = helmtime.Time{}, helmtime.Time{}
	of.Info = &info
	text, err := json.Marshal(of)
	require.NoError(t, err)
	return string(text)
}

// helmrender returns the same bytes as Helm's install action.
func TestReleasesAreHelms(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	cases := map[string]struct {
		chart, values string
		options       helmrender.Options
	}{
		"umbrella": {"gitops-runtime", "tunnel", helmrender.Options{Name: "cf", Namespace: "codefresh"}},
		"a cluster with more APIs": {"argo-cd", "", helmrender.Options{
			Name: "a", Namespace: "b", APIVersions: []string{"monitoring.coreos.com/v1"},
		}},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read := func() (*chart.Chart, map[string]any) {
				loaded, err := loader.Load(filepath.Join(root, "charts", test.chart))
				require.NoError(t, err)
				if test.values == "" {
					return loaded, map[string]any{}
				}
				values, err := chartutil.ReadValuesFile(filepath.Join(root, "charts", test.chart, "ci", test.values+"-values.yaml"))
				require.NoError(t, err)
				return loaded, values
			}
			loaded, values := read()
			want, err := byAction(loaded, values, test.options)
			require.NoError(t, err)
			loaded, values = read()
			got, err := helmrender.New(loaded).Release(values, test.options)
			require.NoError(t, err)
			assert.True(t, stored(t, want) == stored(t, got), "the releases differ")
		})
	}
}

// A chart for other versions of Kubernetes is rejected with Helm's error.
func TestRefusalsAreHelms(t *testing.T) {
	t.Parallel()
	of := func() *chart.Chart {
		return &chart.Chart{Metadata: &chart.Metadata{APIVersion: "v2", Name: "c", Version: "1.0.0", KubeVersion: "<1.20"}}
	}
	_, want := byAction(of(), nil, helmrender.Options{Name: "a", Namespace: "b"})
	require.Error(t, want)
	_, err := helmrender.New(of()).Release(nil, helmrender.Options{Name: "a", Namespace: "b"})
	assert.EqualError(t, err, want.Error())
}
