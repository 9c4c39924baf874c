package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

// Batch is one report over many files, written file by file, so that it costs
// no more memory than the largest of them.
type Batch interface {
	// Add writes the part of one file.
	Add(report Report) error
	// End writes what is below all files.
	End(total Total) error
}

// Total is the sum over all files of a batch.
type Total struct {
	// Version is the program's own version.
	Version string
	// Files is how many were checked, Unchecked how many were not, because the
	// run was interrupted.
	Files, Unchecked int
	// Statuses counts files by their worst check, Codes files by finding.
	Statuses map[engine.Status]int
	Codes    map[string]int
}

// Count adds a report.
func (t *Total) Count(report Report) {
	if t.Statuses == nil {
		t.Statuses, t.Codes = map[engine.Status]int{}, map[string]int{}
	}
	t.Files++
	t.Statuses[report.Status()]++
	seen := map[string]bool{}
	for _, finding := range report.Findings() {
		if !seen[finding.Code] {
			seen[finding.Code] = true
			t.Codes[finding.Code]++
		}
	}
}

// Summary is one line, such as "12 files: 9 fine, 2 failed, 1 with warnings".
func (t Total) Summary() string {
	parts := []string{}
	for _, word := range []struct {
		status engine.Status
		name   string
	}{
		{engine.Passed, "fine"}, {engine.Failed, "failed"}, {engine.Inconclusive, "inconclusive"}, {engine.Warned, "with warnings"},
	} {
		if t.Statuses[word.status] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", t.Statuses[word.status], word.name))
		}
	}
	if t.Unchecked > 0 {
		parts = append(parts, fmt.Sprintf("%d not checked", t.Unchecked))
	}
	noun := "files"
	if t.Files+t.Unchecked == 1 {
		noun = "file"
	}
	return fmt.Sprintf("%d %s: %s", t.Files+t.Unchecked, noun, strings.Join(parts, ", "))
}

// Frequent lists the codes, those that most files have first.
func (t Total) Frequent() []string {
	codes := slices.Collect(maps.Keys(t.Codes))
	slices.SortFunc(codes, func(a, b string) int { return cmp.Or(t.Codes[b]-t.Codes[a], strings.Compare(a, b)) })
	return codes
}

// Status is that of the worst check.
func (r Report) Status() engine.Status {
	counts := r.Counts()
	for _, status := range []engine.Status{engine.Failed, engine.Inconclusive, engine.Warned} {
		if counts[status] > 0 {
			return status
		}
	}
	return engine.Passed
}

// placed adds the batch's file to findings without one, since the reader of a batch needs to know which file it is.
func (r Report) placed() []findings.Finding {
	all := r.Findings()
	for i := range all {
		if all[i].Place.File == "" {
			all[i].Place = helmvalues.Place{File: r.File, Value: all[i].Place.Value}
		}
	}
	return all
}
