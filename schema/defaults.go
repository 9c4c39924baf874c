package schema

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gitops-runtime/internal/dropped"
)

// Default is the default of a value in a chart that users migrate from.
type Default struct {
	Path  dropped.Path
	Value any // Value is nil if it is unknown or null.
}

// readDefaults returns the defaults of a chart in the compatibility tables, for all versions: those of the charts that users migrate from under their
// own names, and, for a part of the published umbrella chart, those that it sets for the part.
func readDefaults(root, chart string) ([]Default, error) {
	files, err := filepath.Glob(filepath.Join(root, "tests", "compat", "facts", "*.tsv"))
	if err != nil {
		return nil, fmt.Errorf("list the tables of values: %w", err)
	}
	var all []Default
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".tsv")
		own := name == chart || strings.HasPrefix(name, chart+"-") && strings.ContainsAny(name[len(chart)+1:len(chart)+2], "0123456789")
		around := strings.HasPrefix(name, "gitops-runtime-") && chart != "gitops-runtime"
		if !own && !around {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read a table of values: %w", err)
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.Split(strings.TrimSpace(line), "\t")
			if len(fields) < 3 || strings.HasPrefix(line, "#") {
				continue
			}
			path := dropped.ParsePath(fields[0])
			if around {
				if path[0] != chart || len(path) == 1 {
					continue
				}
				path = path[1:]
			}
			value := Default{Path: path}
			if json.Unmarshal([]byte(fields[2]), &value.Value) != nil {
				value.Value = nil // the tables truncate long defaults
			}
			all = append(all, value)
		}
	}
	return all, nil
}
