package chartrender

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"text/template"
)

// tooLong rejects a text for which a function would need far more memory than the templates of a chart may use.
func tooLong(name string, length int) error {
	if length < 0 || length > maxOutput {
		return fmt.Errorf("%s makes more than %d MiB", name, maxOutput>>20)
	}
	return nil
}

// textBytes adds up the texts among arguments.
func textBytes(args []any) (total int) {
	for _, arg := range args {
		if text, ok := arg.(string); ok {
			total += len(text)
		}
	}
	return total
}

// shorter limits every function that creates texts from texts: in a loop, each of them can double its input.
func shorter(table template.FuncMap) {
	for name, fn := range table {
		switch plain := fn.(type) {
		case func(string) string:
			table[name] = func(a string) (string, error) { return plainly(name, len(a), func() string { return plain(a) }) }
		case func(string, string) string:
			table[name] = func(a, b string) (string, error) {
				return plainly(name, len(a)+len(b), func() string { return plain(a, b) })
			}
		case func(...any) string:
			table[name] = func(args ...any) (string, error) {
				return plainly(name, textBytes(args), func() string { return plain(args...) })
			}
		}
	}
}

func plainly(name string, length int, text func() string) (string, error) {
	if err := tooLong(name, length); err != nil {
		return "", err
	}
	return text(), nil
}

// boundedTexts are those whose result depends on more than the length of texts.
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
			again := max(1, 1+strings.Count(format, "%")-len(args)) // "%[1]s" writes an argument once more
			return plainly("printf", len(format)+textBytes(args)*again, func() string { return fmt.Sprintf(format, args...) })
		},
		"replace": func(from, to, text string) (string, error) {
			return plainly("replace", len(text)+min(len(to), maxOutput+1)*strings.Count(text, from), func() string { return strings.ReplaceAll(text, from, to) })
		},
		"regexFindAll":     matches,
		"mustRegexFindAll": matches,
	}
}

// boundedCounts are functions whose result has as many items as their numbers or lists specify; plain are the functions that do the work.
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

// matches finds at most as many matches as a list may have.
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
