package helmchart_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/helmchart"
)

// describe returns a chart and its dependencies on one line.
func describe(of *helmchart.Chart) string {
	text := fmt.Sprint(of.Name, " ", of.Version, " ", of.Defaults)
	if of.Schema != nil {
		text += " schema"
	}
	for _, dependency := range of.Dependencies {
		condition := ""
		if dependency.Condition != "" {
			condition = " if " + dependency.Condition
		}
		text += fmt.Sprintf(" [%s%s]", describe(dependency.Chart), condition)
	}
	return text
}

// pack writes a chart archive.
func pack(t *testing.T, name string, files map[string]string) {
	t.Helper()
	var entries []string
	for _, file := range slices.Sorted(maps.Keys(files)) {
		entries = append(entries, file, files[file])
	}
	require.NoError(t, os.WriteFile(name, packed(t, entries...), 0o644))
}
