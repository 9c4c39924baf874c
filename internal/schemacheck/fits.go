package schemacheck

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"unicode/utf8"
)

// fits reports whether a value is certainly valid for a plain rule. False means that it is not, or that the library has to decide.
func fits(rule, value any) bool {
	keywords, isMap := rule.(map[string]any)
	if !isMap {
		return rule == true
	}
	for keyword, content := range keywords {
		if !fitsKeyword(keyword, content, keywords, value) {
			return false
		}
	}
	return true
}

func fitsKeyword(keyword string, content any, around map[string]any, value any) bool {
	switch keyword {
	case "type":
		return fitsType(content, value)
	case "enum":
		for _, allowed := range content.([]any) {
			if same(allowed, value) {
				return true
			}
		}
		return false
	case "const":
		return same(content, value)
	case "properties":
		return fitsProperties(content.(map[string]any), value)
	case "additionalProperties":
		return fitsAdditional(content, around, value)
	case "items":
		list, _ := value.([]any)
		for _, item := range list {
			if !fits(content, item) {
				return false
			}
		}
		return true
	case "required":
		held, isMap := value.(map[string]any)
		for _, name := range content.([]any) {
			if _, given := held[name.(string)]; isMap && !given {
				return false
			}
		}
		return true
	case "anyOf":
		for _, one := range content.([]any) {
			if fits(one, value) {
				return true
			}
		}
		return false
	case "allOf":
		for _, one := range content.([]any) {
			if !fits(one, value) {
				return false
			}
		}
		return true
	case "uniqueItems":
		return fitsUnique(value)
	case "if":
		return fitsChoice(content, around, value)
	case "pattern":
		text, isText := value.(string)
		return !isText || content.(*regexp.Regexp).MatchString(text)
	case "patternProperties":
		return fitsPatterns(content.(patternRules), value)
	case "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return fitsLimit(keyword, content.(json.Number), value)
	}
	return true // descriptions, which plain accepts, and the branches of "if"
}

// fitsUnique reports whether a list contains no text twice; the library decides about other items.
func fitsUnique(value any) bool {
	list, _ := value.([]any)
	seen := map[string]bool{}
	for _, item := range list {
		text, isText := item.(string)
		if !isText || seen[text] {
			return false
		}
		seen[text] = true
	}
	return true
}

// fitsChoice checks a value against the branches of a condition. A condition that is not certainly true may still be true, so both branches have to fit
// then.
func fitsChoice(condition any, around map[string]any, value any) bool {
	branch := func(keyword string) bool {
		rule, given := around[keyword]
		return !given || fits(rule, value)
	}
	if fits(condition, value) {
		return branch("then")
	}
	return branch("then") && branch("else")
}

func fitsProperties(rules map[string]any, value any) bool {
	held, _ := value.(map[string]any)
	for name, inner := range held {
		if rule, known := rules[name]; known && !fits(rule, inner) {
			return false
		}
	}
	return true
}

func fitsAdditional(rule any, around map[string]any, value any) bool {
	held, _ := value.(map[string]any)
	known, _ := around["properties"].(map[string]any)
	patterns, _ := around["patternProperties"].(patternRules)
	for name, inner := range held {
		if _, listed := known[name]; !listed && !patterns.match(name) && !fits(rule, inner) {
			return false
		}
	}
	return true
}

func fitsPatterns(rules patternRules, value any) bool {
	held, _ := value.(map[string]any)
	for name, inner := range held {
		for _, one := range rules {
			if one.pattern.MatchString(name) && !fits(one.rule, inner) {
				return false
			}
		}
	}
	return true
}

func fitsType(content, value any) bool {
	if list, several := content.([]any); several {
		for _, one := range list {
			if isType(one.(string), value) {
				return true
			}
		}
		return false
	}
	return isType(content.(string), value)
}

func isType(name string, value any) bool {
	switch at := value.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case map[string]any:
		return name == "object"
	case []any:
		return name == "array"
	default:
		number, known := float(at)
		return known && (name == "number" || name == "integer" && number == math.Trunc(number))
	}
}

// exact is the limit below which a float64 represents every integer.
const exact = 1 << 53

// float returns a number that a float64 represents exactly enough to compare; the library decides about others.
func float(value any) (float64, bool) {
	number := math.NaN()
	switch at := value.(type) {
	case float64:
		number = at
	case int64:
		number = float64(at)
	case int:
		number = float64(at)
	case json.Number:
		if parsed, err := strconv.ParseFloat(string(at), 64); err == nil {
			number = parsed
		}
	}
	return number, math.Abs(number) < exact
}

// same reports whether two scalars, or two empty maps or lists, are equal; the library decides about others.
func same(allowed, value any) bool {
	switch at := allowed.(type) {
	case nil, bool, string:
		return at == value
	case map[string]any:
		other, isMap := value.(map[string]any)
		return isMap && len(at) == 0 && len(other) == 0
	case []any:
		other, isList := value.([]any)
		return isList && len(at) == 0 && len(other) == 0
	case json.Number:
		left, known := float(at)
		right, isNumber := float(value)
		return known && isNumber && left == right
	}
	return false
}

func fitsLimit(keyword string, limit json.Number, value any) bool {
	bound, known := float(limit)
	if !known {
		return false
	}
	var measured float64
	switch keyword {
	case "minimum", "maximum":
		switch value.(type) {
		case nil, bool, string, map[string]any, []any:
			return true
		}
		if measured, known = float(value); !known {
			return false
		}
	case "minLength", "maxLength":
		text, isText := value.(string)
		if !isText {
			return true
		}
		measured = float64(utf8.RuneCountInString(text))
	case "minProperties", "maxProperties":
		held, isMap := value.(map[string]any)
		if !isMap {
			return true
		}
		measured = float64(len(held))
	default:
		list, isList := value.([]any)
		if !isList {
			return true
		}
		measured = float64(len(list))
	}
	if keyword[:3] == "min" {
		return measured >= bound
	}
	return measured <= bound
}
