package render_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/render"
)

// withPassword renders a release with a value and returns every object except Secrets as text, by kind and name.
func withPassword(t *testing.T, of render.Release, path, value string) map[string]string {
	t.Helper()
	of.Set = maps.Clone(of.Set)
	of.Set[path] = value
	texts := map[string]string{}
	secret := false
	for _, object := range of.Objects(t) {
		text, err := yaml.Marshal(object.Object)
		require.NoError(t, err)
		if object.GetKind() == "Secret" {
			secret = true
			continue
		}
		texts[object.GetKind()+"/"+object.GetName()] = string(text)
	}
	require.True(t, secret, "no Secret is rendered for %s", path)
	return texts
}

// Passwords can be guessed from a checksum, so no object except Secrets depends on one.
func TestSecurityReview10PasswordsAreInNoChecksum(t *testing.T) {
	t.Parallel()
	external := map[string]string{"argo-cd.enabled": "false", "global.integrations.argo-cd.server.svc": "argocd-server.argocd"}
	for name, test := range map[string]struct {
		of   render.Release
		path string
	}{
		"Git":              {umbrella("tunnel", map[string]string{}), "global.runtime.gitCredentials.password.value"},
		"external Argo CD": {umbrella("tunnel", external), "global.integrations.argo-cd.server.auth.password"},
		"Argo CD's admin":  {umbrella("tunnel", map[string]string{}), "argo-cd.configs.secret.argocdServerAdminPassword"},
		"Git webhooks":     {umbrella("tunnel", map[string]string{}), "argo-cd.configs.secret.githubSecret"},
		"external Redis": {
			umbrella("tunnel", map[string]string{"argo-cd.externalRedis.host": "redis.example.com", "argo-cd.redis.enabled": "false"}), "argo-cd.externalRedis.password",
		},
		"a repository of charts/argo-cd": {
			render.Release{Chart: "argo-cd", Set: map[string]string{"configs.repositories.a.url": "https://git.example.com"}}, "configs.repositories.a.password",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, other := withPassword(t, test.of, test.path, "winter2026"), withPassword(t, test.of, test.path, "summer2026")
			assert.Len(t, other, len(one))
			for object, text := range one {
				assert.True(t, text == other[object], "%s changes with the password", object)
			}
		})
	}
}

// A new token or key, which cannot be guessed, restarts the program that reads it.
func TestANewTokenRestartsItsReader(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"global.codefresh.userToken.token", "global.runtime.gitCredentials.sshPrivateKey.value"} {
		of := umbrella("tunnel", map[string]string{})
		assert.NotEqual(t, withPassword(t, of, path, "one")["Deployment/cap-app-proxy"], withPassword(t, of, path, "two")["Deployment/cap-app-proxy"], path)
	}
}
