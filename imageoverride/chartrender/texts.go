package chartrender

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"text/template"
)

// tooLong returns an error for the length of a text for which a function would need far more memory than the templates of a chart may use.
func tooLong(name string, length int) error {
	if length < 0 || length > maxOutput {
		return fmt.Errorf("%s makes more than %d MiB", name, maxOutput>>20)
	}
	return nil
}

// textBytes returns the total length of the texts among arguments.
func textBytes(args []any) (total int) {
	for _, arg := range args {
		if text, ok := arg.(string); ok {
			total += len(text)
		}
	}
	return total
}

// limitTexts limits every function that creates a text from texts: in a loop, each of them can double its input.
func limitTexts(table template.FuncMap) {
	for name, fn := range table {
		switch plain := fn.(type) {
		case func(string) string:
			table[name] = func(a string) (string, error) { return limited(name, len(a), func() string { return plain(a) }) }
		case func(string, string) string:
			table[name] = func(a, b string) (string, error) {
				return limited(name, len(a)+len(b), func() string { return plain(a, b) })
			}
		case func(...any) string:
			table[name] = func(args ...any) (string, error) {
				return limited(name, textBytes(args), func() string { return plain(args...) })
			}
		}
	}
}

func limited(name string, length int, text func() string) (string, error) {
	if err := tooLong(name, length); err != nil {
		return "", err
	}
	return text(), nil
}

// boundedTexts returns the functions whose result depends on more than the length of texts.
func boundedTexts() template.FuncMap {
	indent := func(spaces int, text string) (string, error) {
		if spaces < 0 {
			return "", errors.New("indent needs a number of at least 0")
		}
		if err := tooLong("indent", min(spaces, maxOutput+1)*(1+strings.Count(text, "\n"))); err != nil {
			return "", err
		}
		pad := strings.Repeat(" ", spaces)
		return pad + strings.ReplaceAll(text, "\n", "\n"+pad), nil
	}
	return template.FuncMap{
		"indent": indent,
		"nindent": func(spaces int, text string) (string, error) {
			indented, err := indent(spaces, text)
			return "\n" + indented, err
		},
		"print":   fmt.Sprint,
		"println": fmt.Sprintln,
		"printf": func(format string, args ...any) (string, error) {
			repeats := max(1, 1+strings.Count(format, "%")-len(args)) // "%[1]s" writes an argument once more
			return limited("printf", len(format)+textBytes(args)*repeats, func() string { return fmt.Sprintf(format, args...) })
		},
		"replace": func(from, to, text string) (string, error) {
			return limited("replace", len(text)+min(len(to), maxOutput+1)*strings.Count(text, from), func() string { return strings.ReplaceAll(text, from, to) })
		},
		"regexFindAll":     matches,
		"mustRegexFindAll": matches,
	}
}

// boundedCounts returns limited functions whose result has as many items as their numbers or lists specify; plain contains the original functions.
func boundedCounts(plain template.FuncMap) template.FuncMap {
	seq, _ := plain["seq"].(func(...int) string)
	concat, _ := plain["concat"].(func(...any) any)
	return template.FuncMap{
		"seq": func(numbers ...int) (string, error) {
			for _, number := range numbers {
				if number > maxCount || number < -maxCount {
					return "", fmt.Errorf("seq makes more than %d items", maxCount)
				}
			}
			return seq(numbers...), nil
		},
		"concat": func(lists ...any) (any, error) {
			total := 0
			for _, list := range lists {
				if kind := reflect.ValueOf(list).Kind(); kind == reflect.Slice || kind == reflect.Array {
					total += reflect.ValueOf(list).Len()
				}
			}
			if total > maxCount {
				return nil, fmt.Errorf("concat makes more than %d items", maxCount)
			}
			return concat(lists...), nil
		},
	}
}

// matches is sprig's regexFindAll; more than maxCount matches are an error.
func matches(pattern, text string, count int) ([]string, error) {
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return []string{}, err
	}
	limit := count
	if count < 0 || count > maxCount {
		limit = maxCount + 1
	}
	found := compiled.FindAllString(text, limit)
	if len(found) > maxCount {
		return nil, fmt.Errorf("regexFindAll makes more than %d items", maxCount)
	}
	return found, nil
}
