package contract

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/facts"
)

//go:embed rules.yaml
var rulesText []byte

// Rules are the rules by which facts of both charts are the same.
type Rules struct {
	Ignored  []*Rule // Ignored facts are not compared.
	Objects  []*Rule // Objects are renamed from the published chart to this one.
	Paths    []*Rule // Paths are renamed from the published chart to this one.
	Values   []*Rule // Values are the same after a replacement.
	Defaults []*Rule // Defaults are facts that are the same as none.

	known map[fact]*string
}

type fact struct{ object, path, value string }

// Rule is a rule for the facts that its patterns match. Without Object or Path it is for all.
type Rule struct {
	Object, Path Pattern
	// From is replaced by To. In a rule without To, From is a condition on the value.
	From Expression
	To   string
	// Value is what Kubernetes or the program takes if the fact is missing.
	Value string
	Why   string
	used  bool
}

// Expression is a regular expression; an empty one matches everything.
type Expression struct{ compiled *regexp.Regexp }

// Matches reports whether a text contains the expression.
func (e Expression) Matches(text string) bool {
	return e.compiled == nil || e.compiled.MatchString(text)
}

// UnmarshalJSON compiles the expression.
func (e *Expression) UnmarshalJSON(text []byte) error {
	return e.compile(text, func(s string) string { return s })
}

func (e *Expression) compile(text []byte, expression func(string) string) error {
	var written string
	if err := json.Unmarshal(text, &written); err != nil {
		return err
	}
	var err error
	e.compiled, err = regexp.Compile(expression(written))
	return err
}

// Pattern is a pattern of names, in which * matches any characters, and ~* an asterisk; an empty one matches everything.
type Pattern struct{ Expression }

// UnmarshalJSON compiles the pattern.
func (p *Pattern) UnmarshalJSON(text []byte) error {
	return p.compile(text, func(written string) string {
		return "^" + strings.NewReplacer(`~\*`, `\*`, `\*`, ".*").Replace(regexp.QuoteMeta(written)) + "$"
	})
}

// ReadRules returns the rules of the comparison.
func ReadRules() (*Rules, error) {
	rules := &Rules{known: map[fact]*string{}}
	if err := yaml.UnmarshalStrict(rulesText, rules); err != nil {
		return nil, fmt.Errorf("tests/contract/rules.yaml: %w", err)
	}
	return rules, nil
}

// Unused returns the rules that no fact needs, and those without a reason.
func (r *Rules) Unused() []string {
	var found []string
	for _, some := range [][]*Rule{r.Ignored, r.Objects, r.Paths, r.Values, r.Defaults} {
		for _, rule := range some {
			if !rule.used || rule.Why == "" {
				found = append(found, fmt.Sprintf("%v %v %v: %s", rule.Object.compiled, rule.Path.compiled, rule.From.compiled, rule.Why))
			}
		}
	}
	return found
}

func (r *Rule) matches(object, path string) bool {
	return r.Object.Matches(object) && r.Path.Matches(path)
}

func (r *Rule) replace(text string) string {
	if !r.From.Matches(text) {
		return text
	}
	r.used = true
	return r.From.compiled.ReplaceAllString(text, r.To)
}

// Renamed returns the facts of the published chart under the names of this one.
func (r *Rules) Renamed(of facts.Facts) facts.Facts {
	renamed := facts.Facts{}
	for object, paths := range of {
		at := object
		for _, rule := range r.Objects {
			at = rule.replace(at)
		}
		for path, value := range paths {
			for _, rule := range r.Paths {
				if rule.matches(object, path) {
					path = rule.replace(path)
				}
			}
			renamed.Add(at, path, value)
		}
	}
	return renamed
}

// Comparable returns the facts that are compared, with values that differ only where their meaning does.
func (r *Rules) Comparable(of facts.Facts) facts.Facts {
	all := facts.Facts{}
	for object, paths := range of {
		for path, value := range paths {
			key := fact{object, path, value}
			compared, known := r.known[key]
			if !known {
				compared = r.comparable(key)
				r.known[key] = compared
			}
			if compared != nil {
				all.Add(object, path, *compared)
			}
		}
	}
	return all
}

// comparable returns the value to compare, nil if the fact is not compared.
func (r *Rules) comparable(of fact) *string {
	for _, rule := range r.Ignored {
		if rule.matches(of.object, of.path) && rule.From.Matches(of.value) {
			rule.used = true
			return nil
		}
	}
	for _, rule := range r.Values {
		if rule.matches(of.object, of.path) {
			of.value = rule.replace(of.value)
		}
	}
	for _, rule := range r.Defaults {
		if of.value == rule.Value && rule.matches(of.object, of.path) {
			rule.used = true
			return nil
		}
	}
	return &of.value
}
