package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/valueschema"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/report"
)

// sample has a result of every status and a finding with every kind of place.
var sample = report.Report{
	Version: "0.1.0",
	Target:  report.Target{Runtime: "local", Namespace: "ns", Mode: "mesh", URL: "https://x", Chart: "c 1", Upgrade: true},
	Results: []engine.Result{
		{Code: "SCH100", Title: "A", Group: "one", Status: engine.Passed},
		{Code: "RUN100", Title: "B", Group: "two", Status: engine.Failed, Findings: []findings.Finding{
			{Code: "RUN101", Level: findings.Fail, Message: "It is <so>, 100%.", Fix: "do\nthis", Place: helmvalues.Place{Value: "a.b", File: "my file,1.yaml", Line: 3, Column: 5}},
			{Code: "RUN102", Level: findings.Warn, Message: "Mind.", Place: helmvalues.Place{Value: "c", Flag: "--set"}},
		}},
		{Code: "TOK100", Title: "C", Group: "two", Status: engine.Inconclusive, Findings: []findings.Finding{{Code: "TOK100", Level: findings.Inconclusive, Message: "Unknown."}}},
		{Code: "ACC100", Title: "D", Group: "three", Status: engine.Warned, Findings: []findings.Finding{{Code: "ACC101", Level: findings.Warn, Message: "Mind.", Place: helmvalues.Place{Value: "d", Default: true}}}},
		{Code: "MOD100", Title: "E", Group: "three", Status: engine.Skipped, Reason: "needs X"},
		{Code: "MOD200", Title: "F", Group: "three", Status: engine.Skipped, Reason: "needs X"},
	},
}

func render(t *testing.T, name string, of report.Report) string {
	t.Helper()
	format, err := report.ByName(name, false, nil)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, format.Write(&out, of))
	return out.String()
}

const text = `validate-values 0.1.0: runtime local, namespace ns, mesh access, upgrade, https://x

one
  ok       SCH100  A

two
  FAIL     RUN101  It is <so>, 100%.
                 at   my file,1.yaml:3:5
                 fix  do\nthis
  WARN     RUN102  Mind.
                 at   --set c
  UNKNOWN  TOK100  Unknown.

three
  WARN     ACC101  Mind.
                 at   d (chart default)
  skip     MOD100, MOD200 (needs X)

6 checks: 1 passed, 1 failed, 1 inconclusive, 1 with warnings, 2 skipped
To read more: validate-values explain RUN101
`

const github = `::error file=my file%2C1.yaml,line=3,col=5,title=RUN101::It is <so>, 100%25.%0Afix: do\nthis
::warning title=TOK100::Unknown.
::warning title=RUN102::Mind.
::warning title=ACC101::Mind.
::notice title=validate-values::6 checks: 1 passed, 1 failed, 1 inconclusive, 1 with warnings, 2 skipped
`

const short = `my file,1.yaml:3:5: fail: RUN101 It is <so>, 100%.
-: inconclusive: TOK100 Unknown.
--set c: warn: RUN102 Mind.
d (chart default): warn: ACC101 Mind.
`

func TestLineFormats(t *testing.T) {
	for name, want := range map[string]string{"text": text, "github": github, "short": short} {
		assert.Equal(t, want, render(t, name, sample))
	}
}

func TestColor(t *testing.T) {
	var out bytes.Buffer
	colored, err := report.ByName("text", true, nil)
	require.NoError(t, err)
	require.NoError(t, colored.Write(&out, sample))
	assert.Equal(t, text, strings.NewReplacer("\x1b[32m", "", "\x1b[33m", "", "\x1b[31m", "", "\x1b[2m", "", "\x1b[35m", "", "\x1b[0m", "").Replace(out.String()))
	assert.NotEqual(t, text, out.String())
}

func TestJSONFitsItsSchema(t *testing.T) {
	rules, err := os.ReadFile("report.schema.json")
	require.NoError(t, err)
	compiled, err := valueschema.Compile(rules)
	require.NoError(t, err)
	for _, one := range []report.Report{sample, {Target: report.Target{Mode: "none"}, Results: []engine.Result{}}} {
		var tree any
		require.NoError(t, json.Unmarshal([]byte(render(t, "json", one)), &tree))
		violations, err := compiled.Violations(tree)
		require.NoError(t, err)
		assert.Empty(t, violations)
	}
}

// The counts of a JUnit report match its test cases.
func TestJUnit(t *testing.T) {
	var read struct {
		Suites []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
			Skipped  int `xml:"skipped,attr"`
			Cases    []struct {
				Name    string    `xml:"name,attr"`
				Failure *struct{} `xml:"failure"`
				Error   *struct{} `xml:"error"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal([]byte(render(t, "junit", sample)), &read))
	suite := read.Suites[0]
	var failures, broken, skipped int
	for _, one := range suite.Cases {
		switch {
		case one.Failure != nil:
			failures++
		case one.Error != nil:
			broken++
		case one.Skipped != nil:
			skipped++
		}
	}
	assert.Equal(t, 6, suite.Tests)
	require.Len(t, suite.Cases, 6)
	assert.Equal(t, failures, suite.Failures)
	assert.Equal(t, broken, suite.Errors)
	assert.Equal(t, skipped, suite.Skipped)
	assert.Equal(t, 2, skipped)
}

// A SARIF log has the parts that code scanning reads: version, rules that results refer to, and complete locations.
func TestSARIF(t *testing.T) {
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation *struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn int }
					}
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(render(t, "sarif", sample)), &log))
	run := log.Runs[0]
	require.Equal(t, "2.1.0", log.Version)
	require.Len(t, run.Results, 4)
	for _, result := range run.Results {
		assert.Equal(t, result.RuleID, run.Tool.Driver.Rules[result.RuleIndex].ID)
		assert.NotEmpty(t, result.Message.Text)
		assert.NotEmpty(t, result.Level)
	}
	first := run.Results[0].Locations[0].PhysicalLocation
	require.NotNil(t, first)
	assert.Equal(t, "my%20file,1.yaml", first.ArtifactLocation.URI)
	assert.Equal(t, 3, first.Region.StartLine)
	assert.Equal(t, 5, first.Region.StartColumn)
	empty := render(t, "sarif", report.Report{})
	assert.Contains(t, empty, `"results": []`, "a run without findings has an empty list: %s", empty)
}

// File names are escaped in URIs.
func TestSARIFFileNames(t *testing.T) {
	for name, want := range map[string]string{
		"a/b.yaml": "a/b.yaml", "/a b.yaml": "/a%20b.yaml", "a:b.yaml": "./a:b.yaml", "é?#%.yaml": "%C3%A9%3F%23%25.yaml", "-": "-",
		"https://x.example/v.yaml?a=b": "https://x.example/v.yaml?a=b",
	} {
		one := report.Report{Results: []engine.Result{{Findings: []findings.Finding{{Code: "RUN101", Place: helmvalues.Place{File: name, Line: 1, Column: 1}}}}}}
		got := render(t, "sarif", one)
		assert.Contains(t, got, `"uri": "`+want+`"`, "%s: want %s in %s", name, want, got)
	}
}

// An annotation is one line with separate properties for any file name and message.
func TestGitHubEscapes(t *testing.T) {
	one := report.Report{Results: []engine.Result{{Status: engine.Failed, Findings: []findings.Finding{{
		Code: "RUN101", Level: findings.Fail, Message: "50%: a,b\r\n::error::c", Place: helmvalues.Place{File: "a,b:c%d\n.yaml", Line: 1, Column: 2},
	}}}}}
	want := "::error file=a%2Cb%3Ac%25d\\n.yaml,line=1,col=2,title=RUN101::50%25: a,b\\r\\n::error::c\n::notice title=validate-values::1 checks: 1 failed\n"
	assert.Equal(t, want, render(t, "github", one))
}

// A finding without a file refers to the checked file.
func TestFindingsWithoutAFile(t *testing.T) {
	one := report.Report{Near: "my.yaml", Results: []engine.Result{{Status: engine.Failed, Findings: []findings.Finding{
		{Code: "RUN101", Level: findings.Fail, Message: "No name.", Place: helmvalues.Place{Value: "a.b", Flag: "--set"}},
	}}}}
	assert.True(t, strings.HasPrefix(render(t, "github", one), "::error file=my.yaml,title=RUN101::No name.\n"))
	got := render(t, "sarif", one)
	assert.Contains(t, got, `"uri": "my.yaml"`)
	assert.Contains(t, got, `"fullyQualifiedName": "a.b"`)
	assert.Equal(t, "--set a.b: fail: RUN101 No name.\n", render(t, "short", one))
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestAReportThatCannotBeWrittenIsAnError(t *testing.T) {
	for _, name := range report.Names() {
		format, err := report.ByName(name, false, nil)
		require.NoError(t, err)
		assert.Error(t, format.Write(full{}, sample), "%s: no error", name)
	}
	_, err := report.ByName("xml", false, nil)
	assert.Error(t, err, "xml is not a format")
}
