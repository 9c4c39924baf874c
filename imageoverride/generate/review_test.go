package generate_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/generate"
)

// TestOwnKeyDroppedOnARerun: a warning names values that were added to a generated file manually.
func TestOwnKeyDroppedOnARerun(t *testing.T) {
	options := generate.Options{Chart: chartOf(t, 1), Registry: "reg.corp"}
	first, err := generate.Run(context.Background(), options)
	require.NoError(t, err)
	require.Empty(t, first.Warnings)
	options.Earlier = write(t, first)
	file := options.Earlier + "/" + generate.NoTagsFile
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(text, "own: {key: 1}\n"...), 0o600))
	again, err := generate.Run(context.Background(), options)
	require.NoError(t, err)
	require.Equal(t, []string{"own.key of the earlier values-images-no-tags.yaml is not written again; keep your values in another file"}, again.Warnings)
	require.Equal(t, first.Files, again.Files)
}
