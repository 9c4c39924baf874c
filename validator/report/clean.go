package report

import (
	"io"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

// maxText is the maximum number of characters of one text of a report: a value, a schema or the response of a server may be of any length.
const maxText = 2000

// clean sanitizes reports, so that untrusted text cannot move a cursor, begin a line, or command a pipeline. ByName applies it to every format, so that
// a format may write its input unchanged.
type clean struct{ Format }

// Write writes the report of one install.
func (c clean) Write(out io.Writer, report Report) error { return c.Format.Write(out, report.Clean()) }

// Batch begins a report on many files.
func (c clean) Batch(out io.Writer) Batch { return cleanBatch{c.Format.Batch(out)} }

type cleanBatch struct{ Batch }

// Add writes the report of one file.
func (c cleanBatch) Add(report Report) error { return c.Batch.Add(report.Clean()) }

// Clean returns the report with every text sanitized for one line: values, responses of servers and file names are quoted in messages, fixes and
// places.
func (r Report) Clean() Report {
	r.Target.URL = cleantext.URL(r.Target.URL) // without a password, which a check rejects
	for _, text := range []*string{&r.File, &r.Near, &r.Version, &r.Target.Runtime, &r.Target.Namespace, &r.Target.Mode, &r.Target.URL, &r.Target.Chart} {
		*text = cleantext.Line(cleantext.Cut(*text, maxText))
	}
	results := make([]engine.Result, len(r.Results))
	for i, result := range r.Results {
		result.Reason = cleantext.Line(cleantext.Cut(result.Reason, maxText))
		result.Findings = cleanFindings(result.Findings)
		results[i] = result
	}
	r.Results = results
	return r
}

func cleanFindings(list []findings.Finding) []findings.Finding {
	if list == nil {
		return nil
	}
	cleaned := make([]findings.Finding, len(list))
	for i, finding := range list {
		for _, text := range []*string{&finding.Message, &finding.Fix, &finding.Place.Value, &finding.Place.File, &finding.Place.Flag} {
			*text = cleantext.Line(cleantext.Cut(*text, maxText))
		}
		cleaned[i] = finding
	}
	return cleaned
}
