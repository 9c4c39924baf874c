package validatecmd_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// providers maps the name of a Git provider in the case files to its kind in the platform API and the path of its API.
var providers = map[string]struct{ kind, path string }{
	"github":            {"GITHUB", ""},
	"github-enterprise": {"GITHUB", "/api/v3"},
	"gitlab":            {"GITLAB", "/api/v4"},
	"bitbucket":         {"BITBUCKET", "/2.0"},
	"bitbucket-server":  {"BITBUCKET_SERVER", ""},
	"gerrit":            {"GERRIT", ""},
}

// situations are the possible states of a token at a provider, with the finding of the run. An expired token is either rejected or reports its
// expiration.
var situations = map[string]string{
	"401":       `exit 3\n.* fail: GIT301 .*\n`,
	"403":       `exit 5\n.* inconclusive: GIT300 .* answers HTTP 403\.\n`,
	"404":       `exit 5\n.* inconclusive: GIT300 .* answers HTTP 404\.\n`,
	"429":       `exit 5\n.* inconclusive: GIT300 .* answers HTTP 429\.\n`,
	"503":       `exit 5\n.* inconclusive: GIT300 .* answers HTTP 503\.\n`,
	"timeout":   `exit 5\n.* inconclusive: GIT300 .*\n`,
	"untrusted": `exit 3\n.* fail: GIT306 .*\n`,
	"scopes":    `exit 3\n.* fail: GIT302 .*\n`,
	"expired":   `exit 3\n.* fail: GIT30[13] .*\n`,
	"fine":      `exit 0\n`,
}

// exceptions are the reasons why a provider does not have a situation.
var exceptions = map[string]string{
	"gerrit scopes": `exit 0\n`, // an HTTP password has all permissions of its account
}

// everyProviderInEverySituation asserts that each provider has a case for each situation, with the expected output.
func everyProviderInEverySituation(t *testing.T, printed map[string]string) {
	t.Helper()
	require.Len(t, providers, 6)
	require.Len(t, situations, 10)
	for name, provider := range providers {
		for situation, want := range situations {
			key := fmt.Sprintf("git/%s-%s", name, situation)
			require.Contains(t, printed, key, "the case is missing")
			var world worldSpec
			require.NoError(t, yaml.UnmarshalStrict([]byte(readCase(t, key).get("world")), &world), key)
			if assert.NotNil(t, world.Provider, key) {
				assert.Equal(t, provider.kind, *world.Provider, "%s is about another provider", key)
			}
			assert.Equal(t, provider.path, strings.TrimPrefix(world.GitURL, "{git}"), key)
			if assert.NotNil(t, world.GitHost, key) {
				assert.Equal(t, provider.kind, world.GitHost.Kind, "the server of %s responds as another provider", key)
			}
			if other, known := exceptions[name+" "+situation]; known {
				want = other
			}
			assert.Regexp(t, "^"+want+"$", printed[key], key)
		}
	}
}

// twelveFaults: twelve independent mistakes produce twelve findings in one run.
func twelveFaults(t *testing.T, printed map[string]string) {
	t.Helper()
	found := regexp.MustCompile(`(?m)^  (FAIL|WARN) +[A-Z]{3}[0-9]{3} `).FindAllString(printed["report/many"], -1)
	assert.GreaterOrEqual(t, len(found), 12, "%v", found)
}
