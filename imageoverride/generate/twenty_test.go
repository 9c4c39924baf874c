//go:build !race

// The race detector learns nothing from these tests: they do one thing after the other.

package generate_test

import (
	"context"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/imageoverride/generate"
)

// TestTwentyRuns: the same input produces the same bytes in every run.
func TestTwentyRuns(t *testing.T) {
	t.Parallel()
	for _, chart := range []string{trap, "../testdata/popular/metrics"} {
		options := generate.Options{Chart: chart, Registry: "reg.corp"}
		first, err := generate.Run(context.Background(), options)
		require.NoError(t, err)
		if chart != trap { // many values of it take no digest, so that many attempts are needed
			options.Digests = digestsOf(first.Mirror)
			first, err = generate.Run(context.Background(), options)
			require.NoError(t, err)
		}
		for run := range 20 {
			if run == 10 {
				options.Earlier = write(t, first)
			}
			again, err := generate.Run(context.Background(), options)
			require.NoError(t, err)
			require.Equal(t, first.Files, again.Files)
			require.Equal(t, first.Unreached, again.Unreached)
		}
	}
}

// TestFilesPassTheSchema validates the values files without the chart defaults, with a validator other than Helm's.
func TestFilesPassTheSchema(t *testing.T) {
	t.Parallel()
	for chart, mode := range map[string]string{trap: "", umbrella: modeFile("tunnel")} {
		options := generate.Options{Chart: chart, Registry: private}
		if mode != "" {
			options.Values.Files = []string{mode}
		}
		plain, err := generate.Run(context.Background(), options)
		require.NoError(t, err)
		options.Digests = digestsOf(plain.Mirror)
		result, err := generate.Run(context.Background(), options)
		require.NoError(t, err)
		text, err := os.ReadFile(chart + "/values.schema.json")
		require.NoError(t, err)
		schema, err := jsonschema.CompileString(chart+"/values.schema.json", string(text))
		require.NoError(t, err)
		for _, file := range []string{generate.NoTagsFile, generate.WithTagsFile, generate.DigestsFile} {
			var tree any
			require.NoError(t, yaml.Unmarshal(result.Files[file], &tree))
			require.NoError(t, schema.Validate(tree), "%s %s", chart, file)
		}
	}
}
