package validatecmd_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/checks"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/validatecmd"
)

// The page of all checks is generated; `validate-values checks-page` writes it.
func TestThePageIsUpToDate(t *testing.T) {
	page, err := os.ReadFile("../CHECKS.md")
	require.NoError(t, err)
	assert.Equal(t, validatecmd.Page(), string(page), "CHECKS.md is out of date; run: go run ./validator/cmd/validate-values checks-page > validator/CHECKS.md")
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

// The examples in the umbrella chart contain only keys of its schema.
func TestTheChartsExamplesFitItsSchema(t *testing.T) {
	files, err := filepath.Glob("../../charts/gitops-runtime/ci/*-values.yaml")
	require.NoError(t, err)
	for _, file := range files {
		var out bytes.Buffer
		validatecmd.Main(context.Background(), []string{
			"-f", file, "-n", "codefresh", "--no-cluster", "-o", "short", "--chart", "../../charts/gitops-runtime",
			"--set", "global.codefresh.url=http://nothing.invalid",
		}, validatecmd.System{Out: &out, Err: &out, Version: "0.1.0", Now: time.Now, Getenv: func(string) string { return "" }})
		for _, line := range strings.Split(out.String(), "\n") {
			assert.NotContains(t, line, "SCH", "%s: %s", filepath.Base(file), line)
			assert.NotContains(t, line, "MOD2", "%s: %s", filepath.Base(file), line)
			assert.NotContains(t, line, "validate-values:", "%s: %s", filepath.Base(file), line)
		}
	}
}
