package security

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/golden"
)

const hardened = `
kind: Deployment
metadata: {name: hardened}
spec:
  template:
    spec:
      securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
      containers: [{name: a, securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}}]
`

// second audit, finding 8: the page said of every container what six of them did not have
func TestPosture(t *testing.T) {
	t.Parallel()
	made := release{name: "case", documents: []golden.Document{document(t, hardened), document(t, "kind: ConfigMap\nmetadata: {name: c}\n")}}
	assert.Equal(t, "Every container meets the Pod Security level `restricted`: no root, no added capability, the runtime's default seccomp profile.\n"+
		"The root file system is read-only.", posture([]release{made}))

	for name, context := range map[string]string{
		"nothing":    "{}",
		"escalation": "{readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}, runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}",
		"root":       "{readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}, allowPrivilegeEscalation: false, seccompProfile: {type: RuntimeDefault}}",
		"user 0":     "{readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}, allowPrivilegeEscalation: false, runAsNonRoot: true, runAsUser: 0, seccompProfile: {type: RuntimeDefault}}",
		"capability": "{readOnlyRootFilesystem: true, capabilities: {drop: [ALL], add: [NET_ADMIN]}, allowPrivilegeEscalation: false, runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}",
		"seccomp":    "{readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}, allowPrivilegeEscalation: false, runAsNonRoot: true}",
	} {
		weak := made
		weak.documents = append([]golden.Document{document(t, "kind: Pod\nmetadata: {name: weak}\nspec: {containers: [{name: a, securityContext: "+context+"}]}\n")}, made.documents...)
		assert.Contains(t, posture([]release{weak}), "except in 1 of the 2 containers of the case case: weak have the security contexts of the published chart", name)
	}
}

// second audit, finding 18: pages said that the restricted preset keeps workflows from programs that they still reached
func TestWhatTheRestrictedPresetCloses(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	all, err := Strangers(t.Context(), root)
	require.NoError(t, err)
	for _, stranger := range all[:2] {
		for _, closed := range []string{"argo-cd-server 8080", "argo-server 2746", "argo-gateway 8090", "argo-cd-repo-server 8081", "argo-cd-redis 6379"} {
			assert.Contains(t, stranger.Listening, closed)
			assert.NotContains(t, stranger.Restricted, closed, stranger.Name)
		}
		assert.Contains(t, stranger.Restricted, "sealed-secrets-controller 8080", "the pages say that it stays open")
	}
	for page, sentence := range map[string]string{
		"docs/security.md":         "they do not reach Argo CD's server, the Argo Workflows server and argo-gateway; other namespaces do not reach Argo CD's server. sealed-secrets and ports",
		"docs/network-policies.md": "sealed-secrets stays open to every pod",
	} {
		text, err := os.ReadFile(filepath.Join(root, page))
		require.NoError(t, err)
		assert.Contains(t, string(text), sentence, page)
	}
}
