package security_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
)

// ofSecondAudit are the findings of the second audit of security, each with the file and parts of the tests that fail without its fix: the name of a
// function, or of a row of a table.
func ofSecondAudit() [][]string {
	return [][]string{
		{"internal/registry/guard_test.go", "TestNoPasswordLeavesForAnotherPlace", "TestNoPublicRegistryPointsInside"},
		{"validator/cmd/validate-values/hostile_second_test.go", "func hostileAliases", `"copies in a chart's "`, "copies in a packed dependency"},
		{"hack/release/publish/tamper_test.go", "TestUncommittedContentNamesNoCommit"},
		{"hack/release/publish/tamper_table_test.go", "TestTamperTable", "the same release at another path", "older content of the same version"},
		{"hack/release/publish/tamper_test.go", "TestUnsignedContentIsNotRead", "TestReferrersAreBounded"},
		{"internal/registry/chart_test.go", "TestChartFromAnEndlessRegistry", "40_000"},
		{"validator/action/actions_test.go", `"--skip=SCH101": good`},
		{"tests/security/posture_test.go", "TestPosture"},
		{"validator/cluster/cluster_test.go", "second audit, finding 9"},
		{"validator/cmd/validate-values/hostile_second_test.go", "--ca-file /dev/zero: it is larger than 1 MiB"},
		{"imageoverride/cmd/image-override/hostile_second_test.go", "a pipe as a journal", "a pipe as an earlier mirror table", "a pipe as a lock file"},
		{"imageoverride/cmd/image-override/hostile_second_test.go", "a folder 900 levels deep", "nineteen thousand images", "a million documents"},
		{"internal/registry/chart_test.go", "lists more than 10000 tags", "/manifests/index"},
		{"validator/cmd/validate-values/hostile_servers_test.go", "a platform that returns the token as a name", "a platform that returns the token as an error"},
		{"validator/cmd/validate-values/hostile_third_test.go", "a name of very many digits", "indexes in indexes"},
		{"validator/cmd/validate-values/hostile_second_test.go", "a link out of a chart", "a link to a link out of a chart"},
		{"tests/router/hostile_test.go", "TestStrangersSayNoHostAndNoProtocol"},
		{"tests/security/posture_test.go", "TestWhatTheRestrictedPresetCloses"}, // metadata of clouds: tests/network/release_test.go
		{"tests/render/restricted_test.go", "TestRestrictedPresetBindsNoEveryone"},
		{"tests/render/uninstall_test.go", "TestPermissionsOfUninstallHooks", `Verbs: []string{"deletecollection"}`},
		{"tests/pins/vulnerabilities_test.go", "TestSecurityReview3NoPinHasAKnownVulnerability", "TestTheListFindsPinsOfTheYearBefore"},
	}
}

// Every finding has its tests. That they fail without the fix is for whoever changes them to see.
func TestEveryFindingOfTheSecondAuditHasATest(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	assert.Len(t, ofSecondAudit(), 21)
	for number, tests := range ofSecondAudit() {
		text, err := os.ReadFile(filepath.Join(root, tests[0]))
		require.NoError(t, err)
		for _, part := range tests[1:] {
			assert.Contains(t, string(text), part, "finding %d: %s", number+1, tests[0])
		}
	}
}
