package valueschema

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// violations converts a leaf of the error tree: the keyword identifies the rule, the schema around it what is allowed.
func (s *Schema) violations(leaf *jsonschema.ValidationError, values any) []Violation {
	path := pointer(leaf.InstanceLocation)
	keyword := lastPart(leaf.KeywordLocation)
	around := s.at[strings.TrimSuffix(leaf.AbsoluteKeywordLocation, "/"+keyword)]
	value := find(values, path)
	if around == nil {
		return []Violation{{Kind: Other, Path: path, Want: keyword}}
	}
	switch keyword {
	case "additionalProperties", "unevaluatedProperties":
		return unknownKeys(around, path, value)
	case "required":
		return missingKeys(around, path, value)
	case "type":
		return []Violation{{Kind: Type, Path: path, Want: oneOf(around.Types), Got: typeName(value)}}
	}
	if violation, ok := explained(around, keyword); ok {
		violation.Path = path
		return []Violation{violation}
	}
	if kinds := besidesText(around.Types); keyword == "pattern" && len(kinds) > 0 {
		return []Violation{{Kind: Type, Path: path, Want: oneOf(kinds), Got: typeName(value)}}
	}
	if want := limit(around, keyword); want != "" {
		return []Violation{{Kind: Range, Path: path, Want: want}}
	}
	return []Violation{{Kind: Other, Path: path, Want: keyword}}
}

// besidesText returns the types of a whole number, true or false that may also be a text of a form, such as a template.
func besidesText(types []string) []string {
	return slices.DeleteFunc(slices.Clone(types), func(name string) bool { return name != "integer" && name != "boolean" })
}

// explained returns the violation of a rule that allows only the sentence that explains the rejection, and perhaps a default of the chart that the
// value comes from. It returns false for other rules.
func explained(around *jsonschema.Schema, keyword string) (Violation, bool) {
	only := around.Constant
	if keyword == "enum" {
		only = around.Enum
	}
	if keyword != "const" && keyword != "enum" || len(only) == 0 {
		return Violation{}, false
	}
	text, _ := only[0].(string)
	if key, ok := ReadTypo(text); ok {
		return Violation{Kind: Unknown, Want: key}, true
	}
	if reason, ok := ReadDropped(text); ok {
		return Violation{Kind: Dropped, Want: reason}, true
	}
	return Violation{}, false
}

// suggestions is the number of unknown keys of an object that get the name of a similar key: nobody reads more, and each is compared with every known one.
const suggestions = 100

func unknownKeys(around *jsonschema.Schema, path []string, value any) []Violation {
	var list []Violation
	held, _ := value.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(held)) {
		if _, known := around.Properties[name]; known || matches(around, name) {
			continue
		}
		unknown := Violation{Kind: Unknown, Path: append(slices.Clone(path), name)}
		if len(list) < suggestions {
			unknown.Want = nearest(name, around)
		}
		list = append(list, unknown)
	}
	return list
}

func matches(around *jsonschema.Schema, name string) bool {
	for pattern := range around.PatternProperties {
		if pattern.MatchString(name) {
			return true
		}
	}
	return false
}

func missingKeys(around *jsonschema.Schema, path []string, value any) []Violation {
	var list []Violation
	held, _ := value.(map[string]any)
	for _, name := range around.Required {
		if _, given := held[name]; !given {
			list = append(list, Violation{Kind: Missing, Path: append(slices.Clone(path), name)})
		}
	}
	return list
}

// limit describes what a keyword allows; it returns "" for other keywords.
func limit(around *jsonschema.Schema, keyword string) string {
	number := func(limit *big.Rat) string { return limit.RatString() }
	switch keyword {
	case "enum":
		return "it has to be one of " + listOf(around.Enum)
	case "const":
		return "it has to be " + listOf(around.Constant)
	case "pattern":
		return "it has to match " + around.Pattern.String()
	case "format":
		return "it is not a valid " + around.Format
	case "minLength":
		return fmt.Sprintf("it needs at least %d characters", around.MinLength)
	case "maxLength":
		return fmt.Sprintf("it may have %d characters at most", around.MaxLength)
	case "minimum":
		return "it has to be " + number(around.Minimum) + " or more"
	case "maximum":
		return "it has to be " + number(around.Maximum) + " or less"
	case "exclusiveMinimum":
		return "it has to be more than " + number(around.ExclusiveMinimum)
	case "exclusiveMaximum":
		return "it has to be less than " + number(around.ExclusiveMaximum)
	case "multipleOf":
		return "it has to be a multiple of " + number(around.MultipleOf)
	case "minItems":
		return fmt.Sprintf("it needs at least %d items", around.MinItems)
	case "maxItems":
		return fmt.Sprintf("it may have %d items at most", around.MaxItems)
	case "minProperties":
		return fmt.Sprintf("it needs at least %d keys", around.MinProperties)
	case "maxProperties":
		if around.MaxProperties == 0 {
			return "it has to be empty"
		}
		return fmt.Sprintf("it may have %d keys at most", around.MaxProperties)
	case "uniqueItems":
		return "it has an item twice"
	}
	return ""
}

func listOf(values []any) string {
	var words []string
	for _, value := range values {
		word, err := json.Marshal(value)
		if err != nil {
			word = []byte("another value")
		}
		words = append(words, string(word))
	}
	return strings.Join(words, ", ")
}

// oneOf joins types for a sentence, "a string or null".
func oneOf(types []string) string {
	var words []string
	for _, name := range types {
		words = append(words, article(name))
	}
	sort.Strings(words)
	return strings.Join(words, " or ")
}

func article(name string) string {
	switch name {
	case "null":
		return name
	case "object":
		return "a map"
	case "array":
		return "a list"
	case "integer":
		return "a whole number"
	case "boolean":
		return "true or false"
	}
	return "a " + name
}

func typeName(value any) string {
	switch at := value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case map[string]any:
		return "a map"
	case []any:
		return "a list"
	case float64:
		if at == float64(int64(at)) {
			return "a whole number"
		}
	case int, int64:
		return "a whole number"
	}
	return "a number"
}

// pointer splits a JSON pointer.
func pointer(text string) []string {
	if text == "" {
		return nil
	}
	parts := strings.Split(strings.TrimPrefix(text, "/"), "/")
	for i, part := range parts {
		parts[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
	}
	return parts
}

func find(values any, path []string) any {
	for _, part := range path {
		switch at := values.(type) {
		case map[string]any:
			values = at[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(at) {
				return nil
			}
			values = at[i]
		}
	}
	return values
}
