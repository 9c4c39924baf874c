package validatecmd_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/checks"
	"gitops-runtime/validator/doctor"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/validatecmd"
)

// The page of all checks is generated; `validate-values checks-page` writes it.
func TestThePageIsUpToDate(t *testing.T) {
	page, err := os.ReadFile("../CHECKS.md")
	require.NoError(t, err)
	assert.Equal(t, validatecmd.Page(doctor.Table(doctor.Subject{})), string(page), "CHECKS.md is out of date; run: go run ./validator/cmd/validate-values checks-page > validator/CHECKS.md")
}

// Every finding belongs to a check, every check has an inconclusive finding, and every need of a check is in the table.
func TestTheTablesAreConsistent(t *testing.T) {
	known := map[string]bool{}
	for _, check := range checks.Table(checks.Subject{}) {
		known[check.Code] = true
	}
	for _, check := range checks.Table(checks.Subject{}) {
		_, exists := findings.Lookup(check.Code)
		assert.True(t, exists, "%s has no row in the table of findings", check.Code)
		for _, need := range check.Needs {
			assert.True(t, known[need], "%s needs %s, which is not a check", check.Code, need)
		}
	}
	for _, row := range findings.Table() {
		assert.True(t, known[row.Code[:4]+"00"], "%s belongs to no check", row.Code)
	}
}
