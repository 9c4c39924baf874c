package render_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/tests/render"
)

// Values that the published and the community charts render are rendered: keys that nothing reads (B10, row 8), null (row 11), a password's Secret without a
// key (row 13), and the user of the older name, which takes precedence (row 14).
func TestRows8And11And13And14AndB10AreRendered(t *testing.T) {
	t.Parallel()
	for title, release := range map[string]render.Release{
		"row 8, external Redis":    {Chart: "gitops-runtime", SetJSON: map[string]string{"cf-argocd-extras.externalRedis": `{"enabled": true}`}},
		"row 8, optional":          {Chart: "gitops-runtime", SetJSON: map[string]string{"global.codefresh.userToken.secretKeyRef.optional": "true"}},
		"row 11, SSO":              {Chart: "argo-workflows", SetJSON: map[string]string{"server.sso.enabled": "null"}},
		"row 11, definitions":      {Chart: "argo-workflows", SetJSON: map[string]string{"crds.full": "null"}},
		"row 13":                   {Chart: "gitops-runtime", SetJSON: map[string]string{"global.runtime.gitCredentials.password.secretKeyRef": `{"name": "n"}`}},
		"B10, credentials":         {Chart: "gitops-runtime", SetJSON: map[string]string{"global.runtime.repoCredentialsTemplate": `{"url": "https://github.com"}`}},
		"B10, Garage":              {Chart: "gitops-runtime", SetJSON: map[string]string{"garage-workflows-artifact-storage": `{"enabled": true}`}},
		"B10, Git integration":     {Chart: "gitops-runtime", SetJSON: map[string]string{"global.codefresh.gitIntegration": `{"provider": {"name": "GITHUB"}}`}},
		"0.24, reporter of a fork": {Chart: "gitops-runtime", SetJSON: map[string]string{"global.external-argo-rollouts": `{"rollout-reporter": {"enabled": true}}`}},
	} {
		if release.Chart == "gitops-runtime" {
			release.Files = []string{"tunnel"}
		}
		_, err := release.Text(t)
		assert.NoError(t, err, title)
	}
	objects := published(t, map[string]string{
		"app-proxy.config.argoCdUsername": `"older"`, "global.integrations.argo-cd.server.auth": `{"username": "newer", "password": "p"}`,
	})
	assert.Equal(t, "older", data(t, objects, "cap-app-proxy-cm")["argoCdUsername"])
}

// B8: a tunnel that would go nowhere is refused, with the values that make it reach the router.
func TestB8TunnelToNowhereIsRefused(t *testing.T) {
	t.Parallel()
	_, err := umbrella("tunnel", map[string]string{"internal-router.service.port": "81"}).Text(t)
	assert.ErrorContains(t, err, "fix: --set tunnel-client.target.host=internal-router,tunnel-client.target.port=81")
}
