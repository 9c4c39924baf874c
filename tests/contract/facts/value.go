package facts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
)

// fields is a JSON object. Missing fields, and those of another type, are read as empty.
type fields map[string]any

func (f fields) sub(key string) fields { return asFields(f[key]) }

func (f fields) text(key string) string {
	if f[key] == nil {
		return ""
	}
	return text(f[key])
}

// list returns a list's items.
func (f fields) list(key string) []any {
	items, _ := f[key].([]any)
	return items
}

// subs returns a list's items that are objects.
func (f fields) subs(key string) []fields {
	var all []fields
	for _, item := range f.list(key) {
		if object := asFields(item); object != nil {
			all = append(all, object)
		}
	}
	return all
}

func (f fields) texts(key string) []string {
	var all []string
	for _, item := range f.list(key) {
		all = append(all, text(item))
	}
	return all
}

func (f fields) has(key string) bool {
	_, ok := f[key]
	return ok
}

func (f fields) isTrue(key string) bool { return f[key] == true }

func (f fields) or(key, fallback string) string {
	if f[key] == nil {
		return fallback
	}
	return f.text(key)
}

func asFields(value any) fields {
	switch object := value.(type) {
	case map[string]any:
		return object
	case fields:
		return object
	}
	return nil
}

// text returns a value as one string: scalars as YAML prints them, anything else as JSON.
func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case nil:
		return "null"
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e15 {
			return strconv.FormatInt(int64(v), 10)
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	return strings.TrimSpace(out.String())
}

// leaves yields path and value of every scalar. Items of a list are identified by their names if they are unique. Empty lists and objects and null
// are omitted; 0, false and "" are values.
func leaves(value any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) { descend("", value, yield) }
}

func descend(path string, value any, yield func(string, any) bool) bool {
	switch items := value.(type) {
	case map[string]any, fields:
		for key, child := range asFields(value) {
			at := strings.ReplaceAll(key, ".", `\.`)
			if path != "" {
				at = path + "." + at
			}
			if !descend(at, child, yield) {
				return false
			}
		}
		return true
	case []any:
		for i, name := range itemNames(items) {
			if !descend(path+"["+name+"]", items[i], yield) {
				return false
			}
		}
		return true
	}
	return value == nil || yield(path, value)
}

func itemNames(items []any) []string {
	names, numbers := make([]string, len(items)), make([]string, len(items))
	byName := true
	for i, item := range items {
		names[i], numbers[i] = itemName(asFields(item)), strconv.Itoa(i)
		byName = byName && names[i] != "" && !slices.Contains(names[:i], names[i])
	}
	if byName {
		return names
	}
	return numbers
}

// itemName returns what identifies an item of a list: its name, that of its template, or its destination.
func itemName(item fields) string {
	for _, name := range []any{item["name"], item.sub("template")["name"], item["dest"]} {
		if known, ok := name.(string); ok && known != "" {
			return known
		}
	}
	return ""
}
