package render

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Beside the Codefresh Runner's chart in the same namespace, the Secret with the user token is the only object in common, and none is if the values
// name that Secret. docs/other-controllers.md says so.
func TestNoObjectInCommonWithTheRunner(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/runner.txt")
	require.NoError(t, err)
	runner := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		runner[strings.TrimSpace(line)] = true
	}
	require.Greater(t, len(runner), 25)
	common := func(r Release) []string {
		var found []string
		for _, object := range r.Objects(t) {
			if name := object.GetKind() + "/" + object.GetName(); runner[name] {
				found = append(found, name)
			}
		}
		return found
	}
	release := Release{Chart: "gitops-runtime", Files: []string{"everything-on"}}
	assert.Equal(t, []string{"Secret/codefresh-user-token"}, common(release))
	release.SetJSON = map[string]string{"global.codefresh.userToken": `{"token": null, "secretKeyRef": {"name": "codefresh-user-token", "key": "codefresh-api-token"}}`}
	assert.Empty(t, common(release))
}
