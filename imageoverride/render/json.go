package render

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"helm.sh/helm/v3/pkg/chartutil"
)

// toJSON is Helm's toJson. What comes from values is written without reflection,
// since charts that hand maps from template to template write them all the time.
func toJSON(v any) string {
	if text, ok := appendJSON(nil, v, 0); ok {
		return string(text)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(data)
}

// maxJSON is how deep values are written here; json.Marshal tells cycles.
const maxJSON = 100

// appendJSON writes what json.Marshal does; false for what is not told here.
func appendJSON(to []byte, v any, depth int) ([]byte, bool) {
	switch typed := v.(type) {
	case nil:
		return append(to, "null"...), true
	case bool:
		return strconv.AppendBool(to, typed), true
	case string:
		return appendText(to, typed)
	case int:
		return strconv.AppendInt(to, int64(typed), 10), true
	case int64:
		return strconv.AppendInt(to, typed, 10), true
	case float64:
		if typed != math.Trunc(typed) || math.Abs(typed) >= 1<<53 || typed == 0 && math.Signbit(typed) {
			return nil, false
		}
		return strconv.AppendInt(to, int64(typed), 10), true
	case chartutil.Values:
		return appendJSON(to, map[string]any(typed), depth)
	case map[string]any:
		return appendMap(to, typed, depth)
	case []any:
		if typed == nil || depth > maxJSON {
			return nil, false
		}
		var ok bool
		to = append(to, '[')
		for i, item := range typed {
			if i > 0 {
				to = append(to, ',')
			}
			if to, ok = appendJSON(to, item, depth+1); !ok {
				return nil, false
			}
		}
		return append(to, ']'), true
	}
	return nil, false
}

func appendMap(to []byte, m map[string]any, depth int) ([]byte, bool) {
	if m == nil || depth > maxJSON {
		return nil, false
	}
	var room [16]string
	keys := room[:0]
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var ok bool
	to = append(to, '{')
	for i, key := range keys {
		if i > 0 {
			to = append(to, ',')
		}
		if to, ok = appendText(to, key); !ok {
			return nil, false
		}
		if to, ok = appendJSON(append(to, ':'), m[key], depth+1); !ok {
			return nil, false
		}
	}
	return append(to, '}'), true
}

func appendText(to []byte, text string) ([]byte, bool) {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= utf8.RuneSelf || strings.IndexByte(`"\<>&`, c) >= 0 {
			data, err := json.Marshal(text)
			return append(to, data...), err == nil
		}
	}
	return append(append(append(to, '"'), text...), '"'), true
}

// readBack is a value as it comes back when its JSON is read; false for what is
// not told here.
func readBack(v any, depth int) (any, bool) {
	switch typed := v.(type) {
	case nil, bool:
		return v, true
	case string:
		return v, utf8.ValidString(typed)
	case int:
		return float64(typed), typed > -1<<53 && typed < 1<<53
	case int64:
		return float64(typed), typed > -1<<53 && typed < 1<<53
	case float64:
		return v, typed == math.Trunc(typed) && math.Abs(typed) < 1<<53 && (typed != 0 || !math.Signbit(typed))
	case chartutil.Values:
		return readBack(map[string]any(typed), depth)
	case map[string]any:
		if typed == nil || depth > maxJSON {
			return nil, false
		}
		read := make(map[string]any, len(typed))
		for key, item := range typed {
			below, ok := readBack(item, depth+1)
			if !ok || !utf8.ValidString(key) {
				return nil, false
			}
			read[key] = below
		}
		return read, true
	case []any:
		if typed == nil || depth > maxJSON {
			return nil, false
		}
		read := make([]any, len(typed))
		for i, item := range typed {
			below, ok := readBack(item, depth+1)
			if !ok {
				return nil, false
			}
			read[i] = below
		}
		return read, true
	}
	return nil, false
}
