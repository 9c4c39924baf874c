package reportpage_test

import (
	"bytes"
	"errors"
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/webpage/webpagetest"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/report"
	"gitops-runtime/validator/reportpage"
)

var update = flag.Bool("update", false, "write the pages below testdata")

// hostile is text that would have an effect in a page that does not escape it.
const hostile = `</code></p><script>alert(1)</script><img src=x onerror=alert(2)>"'` + "\x1b[31m\u202e"

func sample(file string) report.Report {
	return report.Report{
		File: file, Version: "1.0.0", Target: report.Target{Runtime: hostile, Namespace: "ns", Mode: "mesh", URL: "javascript:alert(3)", Chart: "c 1", Upgrade: true},
		Results: []engine.Result{
			{Code: "SCH100", Title: "A", Group: "one", Status: engine.Passed},
			{Code: "RUN100", Title: "B", Group: "two", Status: engine.Failed, Findings: []findings.Finding{
				{Code: "RUN101", Level: findings.Fail, Message: hostile, Fix: "do this", Place: helmvalues.Place{Value: "a.b", File: hostile, Line: 3, Column: 5}},
				{Code: "RUN102", Level: findings.Warn, Message: "Mind."},
			}},
			{Code: "TOK100", Title: "C", Group: "two", Status: engine.Inconclusive, Findings: []findings.Finding{{Code: "TOK100", Level: findings.Inconclusive, Message: "Unknown."}}},
			{Code: "ACC100", Title: "D", Group: "three", Status: engine.Warned, Findings: []findings.Finding{{Code: "ACC101", Level: findings.Warn, Message: "Mind."}}},
			{Code: "MOD100", Title: "E", Group: "three", Status: engine.Skipped, Reason: "needs X"},
		},
	}
}

func format(t *testing.T) report.Format {
	t.Helper()
	page, err := reportpage.New()
	require.NoError(t, err)
	format, err := report.ByName("html", false, map[string]report.Format{"html": page})
	require.NoError(t, err)
	return format
}

func TestOneInstall(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.NoError(t, format(t).Write(&out, sample("")))
	webpagetest.Golden(t, *update, "testdata/one.html", out.String())
}

func TestBatch(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	batch := format(t).Batch(&out)
	total := report.Total{Version: "1.0.0"}
	fine := sample("fine.yaml")
	fine.Results = fine.Results[:1]
	for _, of := range []report.Report{sample(hostile), fine} {
		total.Count(of)
		require.NoError(t, batch.Add(of))
	}
	require.NoError(t, batch.End(total))
	webpagetest.Golden(t, *update, "testdata/batch.html", out.String())

	out.Reset()
	require.NoError(t, format(t).Batch(&out).End(report.Total{Unchecked: 2}))
	assert.Empty(t, webpagetest.Faults(out.String()))
	assert.Contains(t, out.String(), "2 files: 2 not checked")
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestErrors(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, format(t).Write(broken{}, sample(strings.Repeat("x", 5000))), "full")
	batch := format(t).Batch(broken{})
	assert.ErrorContains(t, errors.Join(batch.Add(sample("a")), batch.End(report.Total{})), "full")
}
