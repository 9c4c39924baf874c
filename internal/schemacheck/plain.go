package schemacheck

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
)

// draft is the only dialect that is evaluated here; the library supports all.
const draft = "http://json-schema.org/draft-07/schema"

// words are the valid values of "type".
var words = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// plain reports whether a linked schema consists only of keywords that are evaluated here, each in a form that the metaschema allows, so that the
// library would compile it. The library's own metaschema validation takes longer than everything else in a run.
func plain(rules any) bool {
	root, isMap := rules.(map[string]any)
	if !isMap {
		return false
	}
	dialect, _ := root["$schema"].(string)
	if dialect != draft && dialect != draft+"#" {
		return false
	}
	for keyword, content := range root {
		if keyword != "$schema" && !plainKeyword(keyword, content) {
			return false
		}
	}
	return true
}

// choices reports whether a list contains no two equal items, as the metaschema requires of an enum. It returns false if that needs a closer
// comparison, such as of two lists or of large numbers.
func choices(content any) bool {
	list, isList := content.([]any)
	seen := map[any]bool{}
	for _, item := range list {
		key := item
		switch at := item.(type) {
		case json.Number:
			number, err := at.Float64()
			if err != nil {
				return false
			}
			key = number
		case []any:
			key = [0]string{}
		case map[string]any:
			key = struct{}{}
		}
		if seen[key] {
			return false
		}
		seen[key] = true
	}
	return isList
}

func plainRule(rule any) bool {
	switch at := rule.(type) {
	case bool:
		return true
	case map[string]any:
		for keyword, content := range at {
			if !plainKeyword(keyword, content) {
				return false
			}
		}
		return true
	}
	return false
}

func plainKeyword(keyword string, content any) bool {
	switch keyword {
	case "title", "description", "$comment":
		_, isText := content.(string)
		return isText
	case "default", "const":
		return true
	case "examples":
		_, isList := content.([]any)
		return isList
	case "enum":
		return choices(content)
	case "type":
		return plainType(content)
	case "patternProperties":
		_, compiled := content.(patternRules)
		return compiled
	case "properties":
		rules, isMap := content.(map[string]any)
		for _, rule := range rules {
			if !plainRule(rule) {
				return false
			}
		}
		return isMap
	case "additionalProperties", "items", "if", "then", "else":
		return plainRule(content)
	case "anyOf", "allOf":
		rules, isList := content.([]any)
		return isList && len(rules) > 0 && !slices.ContainsFunc(rules, func(rule any) bool { return !plainRule(rule) })
	case "required":
		return distinct(content, nil)
	case "uniqueItems":
		return content == true
	case "minimum", "maximum":
		_, isNumber := content.(json.Number)
		return isNumber
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		number, _ := content.(json.Number)
		_, err := strconv.ParseUint(string(number), 10, 31)
		return err == nil
	case "pattern":
		_, compiled := content.(*regexp.Regexp)
		return compiled
	}
	return false
}

func plainType(content any) bool {
	if one, isText := content.(string); isText {
		return slices.Contains(words, one)
	}
	list, isList := content.([]any)
	return isList && len(list) > 0 && distinct(content, words)
}

// distinct reports whether content is a list of different strings, which are all allowed; nil allows every string.
func distinct(content any, allowed []string) bool {
	list, isList := content.([]any)
	for i, item := range list {
		text, isText := item.(string)
		if !isText || slices.Contains(list[:i], item) || allowed != nil && !slices.Contains(allowed, text) {
			return false
		}
	}
	return isList
}
