package chartrender

import (
	"math"
	"strings"
	"unicode/utf8"

	goyaml "go.yaml.in/yaml/v2"
	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"
)

// toYAML is Helm's toYaml, which writes JSON, decodes it and writes YAML. This takes a large part of a render; for values the result is the same
// without JSON.
func toYAML(v any) string {
	marshal := yaml.Marshal
	if read, ok := asRead(v); ok {
		v, marshal = read, func(v any) ([]byte, error) { return goyaml.Marshal(v) }
	}
	data, err := marshal(v)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(data), "\n")
}

// asRead returns a value as it would be decoded from its JSON; false if this is not known here.
func asRead(v any) (any, bool) {
	switch typed := v.(type) {
	case nil, bool, int, int64:
		return v, true
	case string:
		return v, utf8.ValidString(typed)
	case float64:
		if typed != math.Trunc(typed) {
			return v, !math.IsNaN(typed)
		}
		return int64(typed), math.Abs(typed) < 1<<53
	case chartutil.Values:
		return asRead(map[string]any(typed))
	case map[string]any:
		if typed == nil {
			return nil, true
		}
		read := make(map[any]any, len(typed))
		for key, value := range typed {
			below, ok := asRead(value)
			if !ok || key == "<<" || !utf8.ValidString(key) {
				return nil, false
			}
			read[key] = below
		}
		return read, true
	case []any:
		if typed == nil {
			return nil, true
		}
		read := make([]any, len(typed))
		for i, value := range typed {
			below, ok := asRead(value)
			if !ok {
				return nil, false
			}
			read[i] = below
		}
		return read, true
	}
	return nil, false
}
