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
	// File is the values file of a batch; empty if one install is checked.
	File string `json:"file,omitempty"`
	// Version is the version of the program.
	Version string `json:"version"`
	// Target describes what was checked.
	Target Target `json:"target"`
	// Results are in the order of the table of checks.
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
	// Running means that a running runtime was checked, not values.
	Running bool `json:"running,omitempty"`
}

// Format writes reports in one format.
type Format interface {
	// Write writes the report of one install.
	Write(out io.Writer, report Report) error
	// Batch begins a report on many files.
	Batch(out io.Writer) Batch
}

// Names returns the names of the formats for -o.
func Names() []string { return []string{"text", "short", "json", "sarif", "junit", "github"} }

// ByName returns the format with a name, one of Names or of those that this build adds; color applies only to text. Its output is safe to show, whatever
// the report contains.
func ByName(name string, color bool, additional map[string]Format) (Format, error) {
	format, known := map[string]Format{
		"text": Text{Color: color}, "short": Short{}, "json": JSON{}, "sarif": SARIF{}, "junit": JUnit{}, "github": GitHub{},
	}[name]
	if !known {
		format, known = additional[name]
	}
	if !known {
		return nil, fmt.Errorf("unknown report format %q; choose from %s", name, strings.Join(append(Names(), slices.Sorted(maps.Keys(additional))...), ", "))
	}
	return clean{format}, nil
}

// Counts returns the number of checks with each status.
func (r Report) Counts() map[engine.Status]int {
	counts := map[engine.Status]int{}
	for _, result := range r.Results {
		counts[result.Status]++
	}
	return counts
}

// Findings returns all findings, most severe first, otherwise in the order of the checks.
func (r Report) Findings() []findings.Finding {
	var all []findings.Finding
	for _, result := range r.Results {
		all = append(all, result.Findings...)
	}
	slices.SortStableFunc(all, func(a, b findings.Finding) int { return severity(a.Level) - severity(b.Level) })
	return all
}

func severity(level findings.Level) int {
	return slices.Index([]findings.Level{findings.Fail, findings.Inconclusive, findings.Warn}, level)
}

// Summary returns one line with the counts, such as "14 checks: 9 passed, 2 failed, 3 skipped".
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
