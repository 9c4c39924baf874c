// Package report renders the results of a run, one file per format. A format only reads a Report: checks do not know how they are displayed.
package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

// Report is a run and its results.
type Report struct {
	// File is the values file of a batch; empty where one install is checked.
	File string `json:"file,omitempty"`
	// Version is the program's own version.
	Version string `json:"version"`
	// Target describes what was checked.
	Target Target `json:"target"`
	// Results in the order of the table of checks.
	Results []engine.Result `json:"results"`
	// Near is the last values file of one install. Consumers that require a file for every finding get it for findings without one.
	Near string `json:"-"`
}

// Target is the install that the values are meant for.
type Target struct {
	Runtime   string `json:"runtime,omitempty"`
	Namespace string `json:"namespace"`
	Mode      string `json:"mode"`
	URL       string `json:"url,omitempty"`
	Chart     string `json:"chart,omitempty"`
	Upgrade   bool   `json:"upgrade"`
}

// Format writes reports in one form.
type Format interface {
	// Write writes the report of one install.
	Write(out io.Writer, report Report) error
	// Batch begins a report over many files.
	Batch(out io.Writer) Batch
}

// Names of the formats for -o.
func Names() []string { return []string{"text", "short", "json", "sarif", "junit", "github"} }

// ByName returns the format with a name, one of Names or of those that this build adds; color applies only to text. Its output is safe to show, whatever
// the report contains.
func ByName(name string, color bool, besides map[string]Format) (Format, error) {
	format, known := map[string]Format{
		"text": Text{Color: color}, "short": Short{}, "json": JSON{}, "sarif": SARIF{}, "junit": JUnit{}, "github": GitHub{},
	}[name]
	if !known {
		format, known = besides[name]
	}
	if !known {
		return nil, fmt.Errorf("unknown report format %q; choose from %s", name, strings.Join(append(Names(), slices.Sorted(maps.Keys(besides))...), ", "))
	}
	return clean{format}, nil
}

// Counts is how many checks ended in each way.
func (r Report) Counts() map[engine.Status]int {
	counts := map[engine.Status]int{}
	for _, result := range r.Results {
		counts[result.Status]++
	}
	return counts
}

// Findings lists all findings, heaviest first, else in the order of the checks.
func (r Report) Findings() []findings.Finding {
	var all []findings.Finding
	for _, result := range r.Results {
		all = append(all, result.Findings...)
	}
	slices.SortStableFunc(all, func(a, b findings.Finding) int { return weight(a.Level) - weight(b.Level) })
	return all
}

func weight(level findings.Level) int {
	return slices.Index([]findings.Level{findings.Fail, findings.Inconclusive, findings.Warn}, level)
}

// Summary is one line with the counts, such as "14 checks: 9 passed, 2 failed,
// 3 skipped".
func (r Report) Summary() string {
	counts := r.Counts()
	parts := []string{}
	for _, word := range []struct {
		status engine.Status
		name   string
	}{
		{engine.Passed, "passed"}, {engine.Failed, "failed"}, {engine.Inconclusive, "inconclusive"},
		{engine.Warned, "with warnings"}, {engine.Skipped, "skipped"},
	} {
		if counts[word.status] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[word.status], word.name))
		}
	}
	return fmt.Sprintf("%d checks: %s", len(r.Results), strings.Join(parts, ", "))
}
