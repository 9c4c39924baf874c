package schemacheck

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// patternRules are the rules of patternProperties, compiled.
type patternRules []patternRule

type patternRule struct {
	pattern *regexp.Regexp
	rule    any
}

// match reports whether a name matches one of the patterns.
func (p patternRules) match(name string) bool {
	return slices.ContainsFunc(p, func(one patternRule) bool { return one.pattern.MatchString(name) })
}

// MarshalJSON returns the rules as they are in the schema.
func (p patternRules) MarshalJSON() ([]byte, error) {
	rules := map[string]any{}
	for _, one := range p {
		rules[one.pattern.String()] = one.rule
	}
	return json.Marshal(rules)
}

// linker replaces references with the definitions that they refer to.
type linker struct {
	definitions map[string]any
	// state is the state of each definition: open while it is being linked, linked afterwards.
	state map[string]int
}

const (
	open = iota + 1
	linked
)

// link prepares a schema in place for many reads: each reference to one of its definitions becomes that definition, shared rather than copied, and
// patterns are compiled. False means that the library has to handle the schema: it has a reference elsewhere or to itself, or a pattern that does not
// compile.
func link(rules any) bool {
	root, isMap := rules.(map[string]any)
	if !isMap {
		return false
	}
	l := &linker{state: map[string]int{}}
	l.definitions, _ = root["definitions"].(map[string]any)
	if !l.within(root) {
		return false
	}
	delete(root, "definitions")
	return true
}

// rule returns a rule with its references replaced; false if the library has to handle the schema.
func (l *linker) rule(rule any) (any, bool) {
	keywords, isMap := rule.(map[string]any)
	if !isMap {
		return rule, true
	}
	reference, refers := keywords["$ref"].(string)
	if !refers {
		return keywords, l.within(keywords)
	}
	name, local := strings.CutPrefix(reference, "#/definitions/")
	definition, known := l.definitions[name].(map[string]any)
	if !local || !known || l.state[name] == open {
		return nil, false
	}
	if l.state[name] == linked {
		return definition, true
	}
	l.state[name] = open
	resolved, ok := l.rule(definition)
	l.definitions[name], l.state[name] = resolved, linked
	return resolved, ok
}

// within links the rules below a rule.
func (l *linker) within(keywords map[string]any) bool {
	for _, keyword := range []string{"properties", "patternProperties"} {
		rules, _ := keywords[keyword].(map[string]any)
		for name, rule := range rules {
			resolved, ok := l.rule(rule)
			if !ok {
				return false
			}
			rules[name] = resolved
		}
	}
	for _, keyword := range []string{"additionalProperties", "items", "if", "then", "else"} {
		rule, given := keywords[keyword]
		if !given {
			continue
		}
		resolved, ok := l.rule(rule)
		if !ok {
			return false
		}
		keywords[keyword] = resolved
	}
	for _, keyword := range []string{"anyOf", "allOf"} {
		rules, _ := keywords[keyword].([]any)
		for i, rule := range rules {
			resolved, ok := l.rule(rule)
			if !ok {
				return false
			}
			rules[i] = resolved
		}
	}
	return compilePatterns(keywords)
}

func compilePatterns(keywords map[string]any) bool {
	if text, given := keywords["pattern"].(string); given {
		compiled, err := regexp.Compile(text)
		if err != nil {
			return false
		}
		keywords["pattern"] = compiled
	}
	rules, given := keywords["patternProperties"].(map[string]any)
	if !given {
		return true
	}
	var compiled patternRules
	for text, rule := range rules {
		pattern, err := regexp.Compile(text)
		if err != nil || !plainRule(rule) {
			return false
		}
		compiled = append(compiled, patternRule{pattern, rule})
	}
	keywords["patternProperties"] = compiled
	return true
}
