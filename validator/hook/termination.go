// Package hook reports the outcome of a run of a hook Job in the pod's termination message and as an Event, and removes the Job's resources. It does not
// know what was checked.
package hook

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"gitops-runtime/internal/outfile"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/report"
)

// MessageLimit is the maximum length of a termination message that the kubelet keeps, in bytes.
const MessageLimit = 4096

// Message returns a short form of a report: all codes first, then a sentence and a fix for each as long as they fit.
func Message(outcome report.Report, limit int) string {
	outcome = outcome.Clean()
	var severe []findings.Finding
	for _, finding := range outcome.Findings() {
		if finding.Level != findings.Warn {
			severe = append(severe, finding)
		}
	}
	if len(severe) == 0 {
		return cut(outcome.Summary(), limit)
	}
	var codes, lines []string
	for _, finding := range severe {
		codes = append(codes, finding.Code)
		line := finding.Code + ": " + finding.Message
		if finding.Fix != "" {
			line += " Fix: " + finding.Fix
		}
		lines = append(lines, line)
	}
	return cut(strings.Join(codes, " ")+"\n"+strings.Join(lines, "\n"), limit)
}

// cut shortens a text to a number of bytes without splitting a character.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	const mark = "..."
	text = text[:limit-len(mark)]
	for !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	return text + mark
}

// Leave writes the termination message to a file, which the kubelet reads when
// the container ends.
func Leave(file string, outcome report.Report) error {
	if file == "" {
		return nil
	}
	if err := outfile.Place(file, []byte(Message(outcome, MessageLimit)), 0o644); err != nil {
		return fmt.Errorf("termination message: %w", err)
	}
	return nil
}
