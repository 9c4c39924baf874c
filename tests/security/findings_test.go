package security_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
)

// finding is a finding of a review of security with a file and parts of the tests that fail without its fix: the name of a function, or of a row of a table.
type finding struct {
	number int
	file   string
	parts  []string
}

// ofReview are the findings of the review of security.
func ofReview() []finding {
	return []finding{
		{1, "tests/network/default_test.go", []string{"TestSecurityReview1RepoServerIsClosedByDefault"}},
		{2, "tests/e2e/tunnel/tunnel_test.go", []string{"TestSecurityReview2TokenIsNotSentToAServerThatIsNotTrusted"}},
		{3, "tests/pins/vulnerabilities_test.go", []string{"TestSecurityReview3NoPinHasAKnownVulnerability"}},
		{4, "tests/security/worth_test.go", []string{"TestSecurityReview4EveryEscalationIsProven"}},
		{5, "tests/router/hostile_test.go", []string{"TestSecurityReview5RouterRefusesAmbiguousPaths", "TestSecurityReview5EventSourcesGetNoCredentials", "TestSecurityReview5WebhooksReachAllowedNamespacesOnly"}},
		{6, "imageoverride/cmd/image-override/hostile_test.go", []string{`"an upper-case image"`, `"an image with spaces"`, `"a very long image"`, `"an image that is a list"`}},
		{7, "imageoverride/cmd/image-override/signals_test.go", []string{"TestSecurityReview7Signals"}},
		{7, "imageoverride/cmd/image-override/hostile_test.go", []string{`"a dependency on itself"`}},
		{7, "imageoverride/cmd/image-override/archives_test.go", []string{`"archives within archives"`, `"deeply nested archives"`}},
		{7, "imageoverride/cmd/image-override/endless_test.go", []string{`"a cyclic map as YAML"`, `"hours of hashes"`, `"a schema with exponential references"`}},
		{7, "validator/cmd/validate-values/security_test.go", []string{"TestSecurityReview7Signals"}},
		{7, "validator/cmd/validate-values/hostile_test.go", []string{`"archives within archives"`, `"a chart that depends on itself"`, `"charts that depend on each other"`, `"a long key above a list"`, `"aliases of aliases"`, `"a chart with millions of values"`}},
		{8, "imageoverride/cmd/image-override/hostile_test.go", []string{`"an image with an escape"`, `"an image with a workflow command"`}},
		{8, "validator/cmd/validate-values/hostile_test.go", []string{`"escape characters in a name"`, `"a workflow command in a name"`, `"a right-to-left override in a name"`, `"a name with control characters"`}},
		{8, "validator/cmd/validate-values/hostile_servers_test.go", []string{`"names with escape characters"`, `"an account ID that is a command"`}},
		{9, "validator/cmd/validate-values/hostile_servers_test.go", []string{`"a platform without TLS"`, `"a platform without TLS whose finding is skipped"`}},
		{10, "tests/render/checksum_test.go", []string{"TestSecurityReview10PasswordsAreInNoChecksum"}},
		{11, "imageoverride/cmd/image-override/signals_test.go", []string{"TestSecurityReview11OutputsFollowLinks"}},
		{11, "validator/cmd/validate-values/hostile_test.go", []string{`"a report to a symbolic link"`}},
		{12, "imageoverride/cmd/image-override/hostile_test.go", []string{`"a schema with remote references"`, `"a password in a URL"`}},
		{12, "imageoverride/cmd/image-override/endless_test.go", []string{`"a schema with a password"`, `"a chart by HTTPS"`, `"a dependency with a password"`}},
		{12, "validator/cmd/validate-values/hostile_test.go", []string{`"a schema with remote references"`, `"a password in the URL of a values file"`, `"a password in the public URL"`}},
		{12, "tests/security/tls_test.go", []string{"TestSecurityReview12NothingDisablesVerificationSilently"}},
		{13, "tests/security/review_test.go", []string{"TestSecurityReview13SupplyChain"}},
	}
}

// ofSecondAudit are the findings of the second audit of security.
func ofSecondAudit() []finding {
	return []finding{
		{1, "internal/registry/guard_test.go", []string{"TestNoPasswordLeavesForAnotherPlace", "TestNoPublicRegistryPointsInside"}},
		{2, "validator/cmd/validate-values/hostile_second_test.go", []string{"func hostileAliases", `"copies in a chart's "`, "copies in a packed dependency"}},
		{3, "hack/release/publish/tamper_test.go", []string{"TestUncommittedContentNamesNoCommit"}},
		{4, "hack/release/publish/tamper_table_test.go", []string{"TestTamperTable", "the same release at another path", "older content of the same version"}},
		{5, "hack/release/publish/tamper_test.go", []string{"TestUnsignedContentIsNotRead", "TestReferrersAreBounded"}},
		{6, "internal/registry/chart_test.go", []string{"TestChartFromAnEndlessRegistry", "40_000"}},
		{7, "validator/action/actions_test.go", []string{`"--skip=SCH101": good`}},
		{8, "tests/security/posture_test.go", []string{"TestPosture"}},
		{9, "validator/cluster/cluster_test.go", []string{"second audit, finding 9"}},
		{10, "validator/cmd/validate-values/hostile_second_test.go", []string{"--ca-file /dev/zero: it is larger than 1 MiB"}},
		{11, "imageoverride/cmd/image-override/hostile_second_test.go", []string{"a pipe as a journal", "a pipe as an earlier mirror table", "a pipe as a lock file"}},
		{12, "imageoverride/cmd/image-override/hostile_second_test.go", []string{"a folder 900 levels deep", "nineteen thousand images", "a million documents"}},
		{13, "internal/registry/chart_test.go", []string{"lists more than 10000 tags", "/manifests/index"}},
		{14, "validator/cmd/validate-values/hostile_servers_test.go", []string{"a platform that returns the token as a name", "a platform that returns the token as an error"}},
		{15, "validator/cmd/validate-values/hostile_third_test.go", []string{"a name of very many digits", "indexes in indexes"}},
		{16, "validator/cmd/validate-values/hostile_second_test.go", []string{"a link out of a chart", "a link to a link out of a chart"}},
		{17, "tests/router/hostile_test.go", []string{"TestStrangersSayNoHostAndNoProtocol"}},
		{18, "tests/security/posture_test.go", []string{"TestWhatTheRestrictedPresetCloses"}}, // metadata of clouds: tests/network/release_test.go
		{19, "tests/render/restricted_test.go", []string{"TestRestrictedPresetBindsNoEveryone"}},
		{20, "tests/render/uninstall_test.go", []string{"TestPermissionsOfUninstallHooks", `Verbs: []string{"deletecollection"}`}},
		{21, "tests/pins/vulnerabilities_test.go", []string{"TestSecurityReview3NoPinHasAKnownVulnerability", "TestTheListFindsPinsOfTheYearBefore"}},
	}
}

// Every finding has its tests. That they fail without the fix is for whoever changes them to see.
func TestEveryFindingHasATest(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	for title, test := range map[string]struct {
		count int
		of    []finding
	}{"review": {13, ofReview()}, "second audit": {21, ofSecondAudit()}} {
		seen := map[int]bool{}
		for _, one := range test.of {
			seen[one.number] = true
			text, err := os.ReadFile(filepath.Join(root, one.file))
			require.NoError(t, err)
			for _, part := range one.parts {
				assert.Contains(t, string(text), part, "%s, finding %d: %s", title, one.number, one.file)
			}
		}
		assert.Len(t, seen, test.count, title)
	}
}
