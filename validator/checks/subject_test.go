package checks

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/internal/helmvalues"
)

// A self-hosted Git server often has a certificate of a private CA, which the chart passes to the programs that connect to it.
func TestCertificatesOfGitServersAreTrusted(t *testing.T) {
	t.Parallel()
	var trusted string
	d := &state{known: facts{authorities: []byte("platform\n")}, Subject: Subject{
		Values: helmvalues.New(map[string]any{
			"global":  map[string]any{"codefresh": map[string]any{"tls": map[string]any{"workflowPipelinesGitWebhooks": map[string]any{"certificates": map[string]any{"git.example.com": "webhooks"}}}}},
			"argo-cd": map[string]any{"configs": map[string]any{"tls": map[string]any{"certificates": map[string]any{"git.example.com": "argo-cd"}}}},
		}),
		Network: func(authorities []byte) *http.Client {
			trusted = string(authorities)
			return http.DefaultClient
		},
	}}
	d.client()
	assert.Equal(t, "platform\nwebhooks\nargo-cd\n", trusted)
}
