package validatecmd_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/joshdk/go-junit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/valueschema"
	"gitops-runtime/validator/validatecmd"
)

// readers parses the machine-readable reports: JSON and SARIF with their schemas, JUnit with a JUnit parser.
type readers struct {
	json, sarif *valueschema.Schema
	// runs counts the runs whose reports were read.
	runs int
}

func newReaders(t *testing.T) *readers {
	t.Helper()
	compile := func(name string) *valueschema.Schema {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		compiled, err := valueschema.Compile(text)
		require.NoError(t, err)
		return compiled
	}
	return &readers{json: compile("../report/report.schema.json"), sarif: compile("../report/testdata/sarif-schema-2.1.0.json")}
}

// folder contains the additional reports of a case.
const folder = "further-reports"

// further adds the arguments for these reports, if the run writes a report.
func (r *readers) further(t *testing.T, args []string) []string {
	t.Helper()
	if len(args) > 0 && slices.Contains([]string{"hook", "uninstall", "rotate-token", "explain", "version", "checks-page"}, args[0]) {
		return args
	}
	require.NoError(t, os.Mkdir(folder, 0o755))
	if !slices.Contains(args, "-o") {
		args = append(args, "-o", "text")
	}
	for _, format := range []string{"json", "sarif", "junit", "github"} {
		args = append(args, "-o", format+"="+filepath.Join(folder, format))
	}
	return args
}

// read parses the reports and compares them with each other.
func (r *readers) read(t *testing.T, code int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "json"))
	if err != nil {
		left, _ := os.ReadDir(folder)
		assert.Empty(t, left, "a run that failed left %v", left)
		return
	}
	assert.NotEqual(t, validatecmd.ExitUsage, code, "a run that ended with %d wrote a report", code)
	assert.NotEqual(t, validatecmd.ExitError, code, "a run that ended with %d wrote a report", code)
	r.runs++
	r.fits(t, r.json, text)
	var made jsonRun
	require.NoError(t, json.Unmarshal(text, &made))
	r.readSARIF(t, made.all())
	readJUnit(t, made)
	readCommands(t, made)
}

func (r *readers) fits(t *testing.T, rules *valueschema.Schema, text []byte) {
	t.Helper()
	var tree any
	err := json.Unmarshal(text, &tree)
	require.NoError(t, err, string(text))
	violations, err := rules.Violations(tree)
	require.NoError(t, err, "the report does not match its schema")
	assert.Empty(t, violations, "the report does not match its schema")
}

// jsonRun is the JSON report, of one install or of many.
type jsonRun struct {
	jsonPart
	Reports []jsonPart
}

type jsonPart struct {
	File    string
	Results []struct {
		Code, Status string
		Findings     []jsonFinding
	}
}

type jsonFinding struct {
	Code, Level, Message, Fix string
	Place                     struct {
		Value, File  string
		Line, Column int
	}
}

func (r jsonRun) parts() []jsonPart {
	if r.Reports != nil {
		return r.Reports
	}
	return []jsonPart{r.jsonPart}
}

func (r jsonRun) all() map[string]int {
	all := map[string]int{}
	for _, part := range r.parts() {
		for _, result := range part.Results {
			for _, finding := range result.Findings {
				all[finding.Code+" "+finding.Place.Value+" "+finding.Message]++
			}
		}
	}
	return all
}

func (r *readers) readSARIF(t *testing.T, want map[string]int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "sarif"))
	require.NoError(t, err)
	r.fits(t, r.sarif, text)
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct{ Rules []struct{ ID string } }
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Message   struct{ Text string }
				Locations []struct {
					LogicalLocations []struct{ FullyQualifiedName string }
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &log))
	count := 0
	for _, result := range log.Runs[0].Results {
		count++
		value := ""
		if len(result.Locations) > 0 && len(result.Locations[0].LogicalLocations) > 0 {
			value = result.Locations[0].LogicalLocations[0].FullyQualifiedName
		}
		sentence, _, _ := strings.Cut(result.Message.Text, " Fix: ")
		assert.NotEqual(t, 0, want[result.RuleID+" "+value+" "+sentence], "the SARIF log has %+v, which is not in the JSON report", result)
		assert.Equal(t, result.RuleID, log.Runs[0].Tool.Driver.Rules[result.RuleIndex].ID, "the SARIF log has %+v, which is not in the JSON report", result)
	}
	total := 0
	for _, times := range want {
		total += times
	}
	assert.Equal(t, total, count, "the SARIF log has %d results, the JSON report %d findings", count, total)
}

// readJUnit asserts that the counts of the JUnit report match the JSON report.
func readJUnit(t *testing.T, made jsonRun) {
	t.Helper()
	suites, err := junit.IngestFile(filepath.Join(folder, "junit"))
	require.NoError(t, err)
	require.Len(t, suites, len(made.parts()), "%d suites for %d files", len(suites), len(made.parts()))
	for i, part := range made.parts() {
		counts := map[string]int{}
		for _, result := range part.Results {
			counts[result.Status]++
		}
		got := suites[i].Totals
		want := junit.Totals{
			Tests: len(part.Results), Passed: counts["pass"] + counts["warn"], Failed: counts["fail"], Error: counts["inconclusive"], Skipped: counts["skipped"],
		}
		assert.Equal(t, want, got)
	}
}

// command is a line of GitHub's workflow commands.
var command = regexp.MustCompile(`^::(error|warning|notice) ([^:]*)::(.*)$`)

// readCommands reads the annotations as a GitHub runner does: line by line, properties split at commas, and escapes decoded last.
func readCommands(t *testing.T, made jsonRun) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "github"))
	require.NoError(t, err)
	left := map[string]int{}
	for _, part := range made.parts() {
		for _, result := range part.Results {
			for _, finding := range result.Findings {
				left[finding.Code+" "+finding.Message]++
			}
		}
	}
	unescape := strings.NewReplacer("%0A", "\n", "%0D", "\r", "%3A", ":", "%2C", ",", "%25", "%")
	for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		found := command.FindStringSubmatch(line)
		if !assert.NotNil(t, found, "%q is not a workflow command", line) {
			continue
		}
		properties := map[string]string{}
		for _, property := range strings.Split(found[2], ",") {
			name, value, _ := strings.Cut(property, "=")
			properties[name] = unescape.Replace(value)
		}
		sentence, _, _ := strings.Cut(unescape.Replace(found[3]), "\nfix: ")
		if found[1] != "notice" {
			left[properties["title"]+" "+sentence]--
		}
	}
	for about, count := range left {
		assert.Equal(t, 0, count, "%d annotations too few for %q", count, about)
	}
}
