package chartrender

import (
	"strconv"
	"time"

	"helm.sh/helm/v3/pkg/chartutil"
)

// deepCopy copies what templates can modify: maps and lists. Everything else, such as .Files, .Chart and .Capabilities, is shared. Helm's own
// deepCopy uses reflection and is a hundred times slower; the comparison with Helm's engine verifies that nothing depends on the difference.
func deepCopy(value any) any {
	switch typed := value.(type) {
	case map[string]any:
		if typed == nil {
			return typed
		}
		out := make(map[string]any, len(typed))
		for key, item := range typed {
			if key == "Subcharts" {
				if _, root := typed["Capabilities"]; root {
					out[key] = item // the scopes of other charts, whose values are copied above
					continue
				}
			}
			out[key] = deepCopy(item)
		}
		return out
	case chartutil.Values:
		copied, _ := deepCopy(map[string]any(typed)).(map[string]any)
		return chartutil.Values(copied)
	case []any:
		if typed == nil {
			return typed
		}
		out := make([]any, len(typed))
		for i, item := range typed {
			out[i] = deepCopy(item)
		}
		return out
	case []string:
		return append([]string(nil), typed...)
	}
	return value
}

// copyTime returns the CPU time that Helm's engine may need in addition for a copy of the data of a chart: it copies files byte by byte, with reflection.
func copyTime(value any) time.Duration {
	data, _ := value.(map[string]any)
	all, _ := data["Files"].(files)
	var total time.Duration
	for _, content := range all {
		total += time.Duration(len(content)) * byteTime
	}
	children, _ := data["Subcharts"].(map[string]any)
	for _, child := range children {
		total += copyTime(child)
	}
	return total
}

func toInt(value any) int {
	switch typed := value.(type) {
	case int:
		return typed
	case int64:
		return int(typed)
	case float64:
		return int(typed)
	case string:
		n, _ := strconv.Atoi(typed)
		return n
	}
	return 0
}
