package security_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/generated"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/security"
)

// The page in the checkout matches the charts, and every entry has a reason.
func TestThePageMatchesTheCharts(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	page, err := security.Generate(t.Context(), root)
	require.NoError(t, err)
	drift, err := generated.Drift(root, []generated.File{{Path: security.Path, Text: page}})
	require.NoError(t, err)
	assert.Empty(t, drift)
	for _, line := range []string{
		"| argocd-application-controller | critical | critical: everything | ",
		"| internal-router | none |  |  |  |",
		"| everything | have all permissions in the scope, as an administrator |",
		"| namespace | secrets named argocd-redis | get | whether a password exists already |  |",
		"| cluster | \\* (\\*) | \\* | deploys whatever the user's Git repositories contain, of kinds that are not known in advance, and is the only program with all permissions; controller.clusterRoleRules restricts it to the kinds that are deployed |",
		"| Deployment/cap-app-proxy | http 8080 | cap-app-proxy:3017 | the namespace |  |",
		"| cap-app-proxy | namespace | all |",
	} {
		assert.True(t, strings.Contains(string(page), line), line)
	}
}
