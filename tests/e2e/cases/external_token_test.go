//go:build e2e

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
)

// tokenValues are those of a runtime that signs in to the other Argo CD with an API key.
const tokenValues = `
global:
  integrations:
    argo-cd:
      server: {svc: alone-argocd-server.e2e-neighbor, auth: {type: token, token: %q}}
      repoServer: {svc: alone-argocd-repo-server.e2e-neighbor}
argo-cd: {enabled: false}
argo-rollouts: {enabled: false}
`

// byToken checks that a runtime with an API key of an external Argo CD uses that key, and does not create one.
func (n *neighbors) byToken(t *testing.T) {
	n.apply(t, runtimeNamespace(install.Namespace))
	n.installFirst(t, fmt.Sprintf(tokenValues, n.apiKey(t)))
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
		defer cancel()
		assert.NoError(t, n.local.Helm.Uninstall(ctx, install.Release, install.Namespace, 3*time.Minute, t.Output()))
	}()
	n.access(t, images.Mesh).argoCD(t)
	n.applyHere(t, guestbook)
	n.platform(t).getsEvent(t, "Application", install.Namespace, "e2e-guestbook")
	_, err := n.client.CoreV1().Secrets(install.Namespace).Get(t.Context(), "argocd-token", metav1.GetOptions{})
	require.True(t, errors.IsNotFound(err), "the Secret argocd-token exists: %v", err)
}

// apiKey returns a new API key of the other Argo CD's administrator, as `argocd account generate-token` requests it. The API server's proxy
// forwards a cookie, but no Authorization header.
func (n *neighbors) apiKey(t *testing.T) string {
	t.Helper()
	password, err := n.secret(t.Context(), neighbor, "argocd-initial-admin-secret", "password")
	require.NoError(t, err)
	session := n.tokenFrom(t, "api/v1/session", "", map[string]any{"username": "admin", "password": password})
	return n.tokenFrom(t, "api/v1/account/admin/token", session, map[string]any{"name": "admin", "expiresIn": 0})
}

func (n *neighbors) tokenFrom(t *testing.T, path, session string, body map[string]any) string {
	t.Helper()
	document, err := json.Marshal(body)
	require.NoError(t, err)
	text, err := n.client.CoreV1().RESTClient().Post().Namespace(neighbor).Resource("services").Name("alone-argocd-server:http").
		SubResource("proxy").Suffix(path).SetHeader("Content-Type", "application/json").SetHeader("Cookie", "argocd.token="+session).
		Body(document).DoRaw(t.Context())
	require.NoError(t, err)
	var answer struct{ Token string }
	require.NoError(t, json.Unmarshal(text, &answer))
	require.NotEmpty(t, answer.Token)
	return answer.Token
}
