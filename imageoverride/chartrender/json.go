package chartrender

import (
	"encoding/json"
	"fmt"

	"helm.sh/helm/v3/pkg/chartutil"
)

// toJSON is Helm's toJson, except that a text of more than maxOutput bytes is an error: that of a map that contains another one many times may be huge.
func toJSON(v any) (string, error) {
	var size jsonSize
	size.add(v, 0)
	if size.bytes > maxOutput {
		return "", fmt.Errorf("toJson makes more than %d MiB", maxOutput>>20)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return "", nil //nolint:nilerr // Helm's toJson prints nothing
	}
	return string(data), nil
}

// maxJSON is the maximum depth of values whose size is counted; json.Marshal detects cycles.
const maxJSON = 100

// jsonSize counts the bytes that values take in JSON, without escapes.
type jsonSize struct {
	bytes int
	deep  bool // a value is nested too deeply
}

// add counts a value, until the size exceeds maxOutput.
func (s *jsonSize) add(v any, depth int) {
	s.deep = s.deep || depth > maxJSON
	if s.deep || s.bytes > maxOutput {
		return
	}
	switch typed := v.(type) {
	case string:
		s.bytes += len(typed)
	case chartutil.Values:
		s.add(map[string]any(typed), depth)
	case map[string]any:
		for key, value := range typed {
			s.bytes += len(key)
			s.add(value, depth+1)
		}
	case []any:
		for _, item := range typed {
			s.add(item, depth+1)
		}
	}
	s.bytes++
}
