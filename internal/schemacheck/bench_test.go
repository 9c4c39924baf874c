package schemacheck_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/schemacheck"
	"gitops-runtime/tests/processor"
)

// benchmarked are the charts whose values an install of the runtime validates.
var benchmarked = []string{"gitops-runtime", "argo-cd", "argo-events", "argo-rollouts", "argo-workflows", "tunnel-client"}

// chartSchema is a chart's schema with the chart's defaults, which are valid.
type chartSchema struct {
	text   []byte
	values map[string]any
}

func chartSchemas(tb testing.TB) []chartSchema {
	tb.Helper()
	var list []chartSchema
	for _, name := range benchmarked {
		folder := filepath.Join("..", "..", "charts", name)
		text, err := os.ReadFile(filepath.Join(folder, "values.schema.json"))
		require.NoError(tb, err)
		defaults, err := os.ReadFile(filepath.Join(folder, "values.yaml"))
		require.NoError(tb, err)
		one := chartSchema{text: text}
		require.NoError(tb, yaml.Unmarshal(defaults, &one.values))
		list = append(list, one)
	}
	return list
}

// BenchmarkCharts validates the defaults of the charts, as in a run without findings: with this package and with the library only.
func BenchmarkCharts(b *testing.B) {
	charts := chartSchemas(b)
	run := func(texts [][]byte) func(b *testing.B) {
		return func(b *testing.B) {
			begun := processor.Time(b)
			for b.Loop() {
				for i, text := range texts {
					compiled, err := schemacheck.Compile(text)
					require.NoError(b, err)
					_, err = compiled.Violations(charts[i].values)
					require.NoError(b, err)
				}
			}
			processor.Report(b, begun)
		}
	}
	var plain, whole [][]byte
	for _, one := range charts {
		plain = append(plain, one.text)
		whole = append(whole, bytes.Replace(one.text, []byte("{"), []byte(`{"readOnly": true,`), 1))
	}
	b.Run("program", run(plain))
	b.Run("library", run(whole))
}
