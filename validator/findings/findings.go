// Package findings contains the results that a check can report: every finding as data, with a stable code, one sentence, the place of the value it is
// about, and the fix. It does not know how a finding is detected or displayed.
package findings

import (
	"cmp"
	"fmt"
	"strings"

	"gitops-runtime/internal/helmvalues"
)

// Level is the severity of a finding.
type Level string

// The levels, most severe first.
const (
	// Fail rejects the install.
	Fail Level = "fail"
	// Inconclusive means that a request got no response; the sentence names what was missing.
	Inconclusive Level = "inconclusive"
	// Warn does not reject the install, except in strict mode.
	Warn Level = "warn"
)

// Finding is one result of a run.
type Finding struct {
	Code    string           `json:"code"`
	Level   Level            `json:"level"`
	Message string           `json:"message"`
	Place   helmvalues.Place `json:"place,omitzero"`
	Fix     string           `json:"fix,omitempty"`
}

// New creates the finding of a code: level, sentence and fix come from the table, the arguments are those of the format of the sentence. The code has
// to be in the table, which a test of every package that reports findings checks.
func New(code string, place helmvalues.Place, args ...any) Finding {
	definition, known := Lookup(code)
	if !known {
		panic("findings: no code " + code)
	}
	fix := strings.NewReplacer("{value}", place.Value).Replace(definition.Fix)
	return Finding{
		Code:    code,
		Level:   definition.Level,
		Message: fmt.Sprintf(definition.Sentence, args...),
		Place:   place,
		Fix:     fix,
	}
}

// Line returns the finding as one line, for grep and editors.
func (f Finding) Line() string {
	return fmt.Sprintf("%s: %s: %s %s", cmp.Or(f.Place.String(), "-"), f.Level, f.Code, f.Message)
}

// WithFix returns the finding with a more specific fix than the table's.
func (f Finding) WithFix(format string, args ...any) Finding {
	f.Fix = fmt.Sprintf(format, args...)
	return f
}

// AtLevel returns the finding with another level.
func (f Finding) AtLevel(level Level) Finding {
	f.Level = level
	return f
}
