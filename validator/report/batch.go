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

// Batch is one report on many files, written file by file, so that it needs no more memory than the largest one.
type Batch interface {
	// Add writes the part of one file.
	Add(report Report) error
	// End writes the summary of all files.
	End(total Total) error
}

// Total is the sum over all files of a batch.
type Total struct {
	// Version is the version of the program.
	Version string
	// Noun names one of the subjects, "file" if it is empty.
	Noun string
	// Files is the number of checked files, Unchecked the number of files that were not checked because the run was interrupted.
	Files, Unchecked int
	// Statuses counts files by the status of their worst check, Codes counts files by the codes of their findings.
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

// Summary returns one line, such as "12 files: 9 fine, 2 failed, 1 with warnings".
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
	return fmt.Sprintf("%s: %s", t.counted(t.Files+t.Unchecked), strings.Join(parts, ", "))
}

// counted returns a number of subjects, as in "2 files".
func (t Total) counted(number int) string {
	noun := cmp.Or(t.Noun, "file")
	if number != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", number, noun)
}

// Frequent returns the codes, those of the most files first.
func (t Total) Frequent() []string {
	codes := slices.Collect(maps.Keys(t.Codes))
	slices.SortFunc(codes, func(a, b string) int { return cmp.Or(t.Codes[b]-t.Codes[a], strings.Compare(a, b)) })
	return codes
}

// Status returns the status of the worst check.
func (r Report) Status() engine.Status {
	counts := r.Counts()
	for _, status := range []engine.Status{engine.Failed, engine.Inconclusive, engine.Warned} {
		if counts[status] > 0 {
			return status
		}
	}
	return engine.Passed
}

// placed returns all findings; those without a file get the file of the report, since a batch has several.
func (r Report) placed() []findings.Finding {
	all := r.Findings()
	for i := range all {
		if all[i].Place.File == "" {
			all[i].Place = helmvalues.Place{File: r.File, Value: all[i].Place.Value}
		}
	}
	return all
}
