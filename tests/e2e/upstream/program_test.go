package upstream_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gruntwork-io/terratest/modules/helm"
	"github.com/gruntwork-io/terratest/modules/k8s"
	"github.com/gruntwork-io/terratest/modules/logger"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/tests/render"
)

// The helm program prints the same objects as the package that renders for the other tests, and the same error.
func TestTheProgramRendersTheSame(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	chart := filepath.Join(root, "charts", "gitops-runtime")
	template := func(mode string, set map[string]string) (string, string, error) {
		options := &helm.Options{
			SetValues:      set,
			SetJSONValues:  map[string]string{"global.tolerations": `[{"key":"runtime","operator":"Exists"}]`},
			ValuesFiles:    []string{filepath.Join(chart, "ci", mode+"-values.yaml")},
			KubectlOptions: k8s.NewKubectlOptions("", "", "codefresh"),
			Logger:         logger.Discard,
		}
		return helm.RenderTemplateAndGetStdOutErrContextE(t, context.Background(), options, chart, "cf", nil, "--kube-version", helmchart.TestedKubernetes)
	}
	for _, mode := range []string{"tunnel", "ingress", "gateway", "mesh"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			set := map[string]string{"app-proxy.replicaCount": "2", "redis.enabled": "true", `global.nodeSelector.example\.com/pool`: "a"}
			printed, _, err := template(mode, set)
			require.NoError(t, err)
			release := render.Release{Chart: "gitops-runtime", Files: []string{mode}, Set: set}
			release.SetJSON = map[string]string{"global.tolerations": `[{"key":"runtime","operator":"Exists"}]`}
			text, err := release.Text(t)
			require.NoError(t, err)
			assert.True(t, strings.TrimSpace(printed) == strings.TrimSpace(text), "helm template prints %d bytes, the package renders %d", len(printed), len(text))
		})
	}
	wrong := map[string]string{"argo-workflows.enabled": "false"}
	_, stderr, err := template("tunnel", wrong)
	require.Error(t, err)
	_, err = render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}, Set: wrong}.Text(t)
	require.Error(t, err)
	const why = "--set app-proxy.image-enrichment.enabled=false, or enable argo-workflows"
	assert.Contains(t, stderr, why)
	assert.Contains(t, err.Error(), why)
}
