package valueschema

import (
	"cmp"
	"fmt"
	"strings"

	"gitops-runtime/internal/helmvalues"
)

// The codes of problems, one for each kind of violation.
const (
	CodeUnknown = "SCH101"
	CodeType    = "SCH102"
	CodeRange   = "SCH103"
	CodeMissing = "SCH104"
	CodeOther   = "SCH105"
	CodeDropped = "SCH106"
	CodeForeign = "SCH107"
)

// Rule is the description of all problems of a code.
type Rule struct {
	Code string
	// Sentence is a fmt format, one sentence with its full stop.
	Sentence string
	// Fix is how to fix it, "" if the sentence contains it; {value} stands for the path of the value.
	Fix string
}

// Rules returns the rules in the order of their codes.
func Rules() []Rule {
	return []Rule{
		{CodeUnknown, "There is no value %s%s.", "remove the key, or see the chart's values.yaml for the values it reads"},
		{CodeType, "%s has to be %s, but is %s.", "give {value} a value of that type"},
		{CodeRange, "%s does not fit: %s.", ""},
		{CodeMissing, "%s is required and missing.", "add {value}; if its key has nothing below it, which removes its defaults, remove the key"},
		{CodeOther, "%s breaks a rule of the schema: %s.", ""},
		{CodeDropped, "%s has no effect here: %s.", "remove {value}; validate-values migrate does it for a whole file"},
		{CodeForeign, "This chart does not read %s (did you mean %s?).", "rename the key, unless another chart reads it"},
	}
}

// Problem is one value that a schema rejects, or that is probably a mistake.
type Problem struct {
	Code    string
	Place   helmvalues.Place
	Message string
	// Fix is how to fix it, "" if the message contains it.
	Fix string
}

// Line returns the problem as one line, for grep and editors.
func (p Problem) Line() string {
	return fmt.Sprintf("%s: fail: %s %s", cmp.Or(p.Place.String(), "-"), p.Code, p.Message)
}

// problem returns the problem for a violation by the value at a path.
func problem(v Violation, place helmvalues.Place, path string) Problem {
	switch v.Kind {
	case Unknown:
		if v.Want == "" {
			return newProblem(CodeUnknown, place, path, "")
		}
		near := newProblem(CodeUnknown, place, path, " (did you mean "+v.Want+"?)")
		near.Fix = "rename the key to " + v.Want
		return near
	case Type:
		return newProblem(CodeType, place, path, v.Want, v.Got)
	case Range:
		return newProblem(CodeRange, place, path, v.Want)
	case Missing:
		return newProblem(CodeMissing, place, path)
	case Dropped:
		return newProblem(CodeDropped, place, path, strings.TrimSuffix(v.Want, "."))
	}
	return newProblem(CodeOther, place, path, v.Want)
}

// newProblem returns a problem with the formatted sentence of a code.
func newProblem(code string, place helmvalues.Place, args ...any) Problem {
	for _, rule := range Rules() {
		if rule.Code == code {
			return Problem{
				Code: code, Place: place, Message: fmt.Sprintf(rule.Sentence, args...),
				Fix: strings.ReplaceAll(rule.Fix, "{value}", place.Value),
			}
		}
	}
	panic("valueschema: no rule for code " + code)
}
