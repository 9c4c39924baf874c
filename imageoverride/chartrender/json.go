package chartrender

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"helm.sh/helm/v3/pkg/chartutil"
)

// toJSON is Helm's toJson. Values are written without reflection, since charts that pass maps between templates write them very often. The text of a
// map that contains another one many times may be huge: more than maxOutput bytes are an error.
func toJSON(v any) (string, error) {
	text, err := appendJSON(nil, v, 0)
	switch {
	case err == nil:
		return string(text), nil
	case errors.Is(err, errLongJSON):
		return "", err
	}
	data, err := json.Marshal(v)
	if err != nil {
		return "", nil //nolint:nilerr // Helm's toJson prints nothing
	}
	return string(data), nil
}

// maxJSON is the maximum depth of values that are written here; json.Marshal detects cycles.
const maxJSON = 100

var (
	errLongJSON = fmt.Errorf("toJson makes more than %d MiB", maxOutput>>20)
	// errOther is the error for values that only json.Marshal can write.
	errOther = errors.New("not a value of a values file")
)

// appendJSON appends the JSON that json.Marshal would write, or returns errOther.
func appendJSON(to []byte, v any, depth int) ([]byte, error) {
	if len(to) > maxOutput {
		return nil, errLongJSON
	}
	switch typed := v.(type) {
	case nil:
		return append(to, "null"...), nil
	case bool:
		return strconv.AppendBool(to, typed), nil
	case string:
		return appendText(to, typed)
	case int:
		return strconv.AppendInt(to, int64(typed), 10), nil
	case int64:
		return strconv.AppendInt(to, typed, 10), nil
	case float64:
		if typed != math.Trunc(typed) || math.Abs(typed) >= 1<<53 || typed == 0 && math.Signbit(typed) {
			return nil, errOther
		}
		return strconv.AppendInt(to, int64(typed), 10), nil
	case chartutil.Values:
		return appendJSON(to, map[string]any(typed), depth)
	case map[string]any:
		return appendMap(to, typed, depth)
	case []any:
		if typed == nil || depth > maxJSON {
			return nil, errOther
		}
		var err error
		to = append(to, '[')
		for i, item := range typed {
			if i > 0 {
				to = append(to, ',')
			}
			if to, err = appendJSON(to, item, depth+1); err != nil {
				return nil, err
			}
		}
		return append(to, ']'), nil
	}
	return nil, errOther
}

func appendMap(to []byte, m map[string]any, depth int) ([]byte, error) {
	if m == nil || depth > maxJSON {
		return nil, errOther
	}
	var buffer [16]string
	keys := buffer[:0]
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var err error
	to = append(to, '{')
	for i, key := range keys {
		if i > 0 {
			to = append(to, ',')
		}
		if to, err = appendText(to, key); err != nil {
			return nil, err
		}
		if to, err = appendJSON(append(to, ':'), m[key], depth+1); err != nil {
			return nil, err
		}
	}
	return append(to, '}'), nil
}

func appendText(to []byte, text string) ([]byte, error) {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= utf8.RuneSelf || strings.IndexByte(`"\<>&`, c) >= 0 {
			data, err := json.Marshal(text)
			return append(to, data...), err
		}
	}
	return append(append(append(to, '"'), text...), '"'), nil
}
