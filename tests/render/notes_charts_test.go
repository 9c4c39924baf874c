package render_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/render"
)

// object matches an object that a command names.
var object = regexp.MustCompile(`(deploy|svc)/(\S+)(?: \d+:(\d+))?`)

// The notes of each Argo chart have the first commands, which name objects of the release and ports of its Services.
func TestNotesOfTheArgoCharts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		chart         string
		values        map[string]string
		holds, absent string
	}{
		"Argo CD":                      {"argo-cd", nil, "get secret -n codefresh argocd-initial-admin-secret -o jsonpath='{.data.password}' | base64 -d", "NAME"},
		"Argo CD with a password":      {"argo-cd", map[string]string{"configs.secret.argocdServerAdminPassword": "hash"}, "svc/cf-argocd-server 8080:443", "initial-admin"},
		"Argo CD without admin":        {"argo-cd", map[string]string{`configs.cm.admin\.enabled`: "false"}, "svc/cf-argocd-server 8080:443", "initial-admin"},
		"Argo CD with other names":     {"argo-cd", map[string]string{"fullnameOverride": "cd", "server.name": "api", "server.service.servicePortHttps": "8443"}, "svc/cd-api 8080:8443", "cf-argocd"},
		"Argo Rollouts":                {"argo-rollouts", nil, "kubectl logs -n codefresh deploy/", "svc/"},
		"Argo Rollouts with dashboard": {"argo-rollouts", map[string]string{"dashboard.enabled": "true", "fullnameOverride": "ro"}, "svc/ro-dashboard 3100:3100", "logs"},
		"Argo Workflows":               {"argo-workflows", nil, "Open http://localhost:2746", "https"},
		"Argo Workflows, secure":       {"argo-workflows", map[string]string{"server.secure": "true", "fullnameOverride": "wf"}, "Open https://localhost:2746", "http://"},
		"Argo Workflows, no server":    {"argo-workflows", map[string]string{"server.enabled": "false"}, "kubectl logs -n codefresh deploy/", "svc/"},
		"Argo Events":                  {"argo-events", map[string]string{"fullnameOverride": "ev"}, "kubectl logs -n codefresh deploy/ev-controller-manager", "NAME"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			release := render.Release{Chart: test.chart, Set: test.values}
			made, err := release.Made(t)
			require.NoError(t, err)
			notes := made.Info.Notes
			assert.Contains(t, notes, test.holds)
			assert.NotContains(t, notes, test.absent)
			assert.Equal(t, 3, strings.Count(notes, "\n  kubectl ")+strings.Count(test.absent, "initial-admin"), notes)
			objects := release.Objects(t)
			for _, named := range object.FindAllStringSubmatch(notes, -1) {
				kind := map[string]string{"deploy": "Deployment", "svc": "Service"}[named[1]]
				found := render.Find(objects, kind, named[2])
				if assert.NotNil(t, found, "%s %s", kind, named[2]) && named[3] != "" {
					text, err := found.MarshalJSON()
					require.NoError(t, err)
					assert.Contains(t, string(text), `"port":`+named[3])
				}
			}
		})
	}
}
