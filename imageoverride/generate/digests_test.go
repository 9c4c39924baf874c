package generate_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/generate"
	"gitops-runtime/imageoverride/mapping"
)

// digestsOf returns digests that are derived from the source references.
func digestsOf(pairs []mapping.Pair) map[string]string {
	digests := map[string]string{}
	for _, pair := range pairs {
		sum := sha256.Sum256([]byte(pair.Source))
		digests[pair.Source] = "sha256:" + hex.EncodeToString(sum[:])
	}
	return digests
}

// write writes the files of a result and returns the folder.
func write(t *testing.T, result generate.Result) string {
	t.Helper()
	folder := t.TempDir()
	_, err := result.Write(folder)
	require.NoError(t, err)
	return folder
}

// TestDigests: a chart rendered with the generated values has the digests of the lock file and no other differences.
func TestDigests(t *testing.T) {
	options := generate.Options{Chart: "../testdata/styles", Registry: "reg.corp", Everything: true}
	result, err := generate.Run(context.Background(), options)
	require.NoError(t, err)
	require.NotContains(t, result.Files, generate.DigestsFile, "digests are written without a lock file")
	options.Digests, options.Earlier = digestsOf(result.Mirror), write(t, result)
	pinned, err := generate.Run(context.Background(), options)
	require.NoError(t, err)
	require.Empty(t, pinned.Unpinned)
	require.Equal(t, result.Mirror, pinned.Mirror)
	require.Equal(t, result.Files[generate.NoTagsFile], pinned.Files[generate.NoTagsFile])

	file := filepath.Join(write(t, pinned), generate.DigestsFile)
	wanted := map[string]bool{}
	for _, pair := range pinned.Mirror {
		wanted[options.Digests[pair.Source]] = true
	}
	again := options
	again.Digests, again.Values.Files, again.Earlier = nil, []string{file}, filepath.Dir(file)
	rendered, err := generate.Run(context.Background(), again)
	require.NoError(t, err)
	require.NotEmpty(t, rendered.Origins)
	for _, origin := range rendered.Origins {
		require.True(t, wanted[origin.Location.Image.Digest], "%s does not have its digest", origin.Location.Text())
	}
	require.Equal(t, result.Mirror, rendered.Mirror, "the mirror table changes with digests in the values")
}

func TestDigestsOfAnotherTable(t *testing.T) {
	_, err := generate.Run(context.Background(), generate.Options{Chart: chartOf(t, 1), Registry: "reg.corp", Digests: map[string]string{}})
	require.EqualError(t, err, "the lock file does not contain quay.io/team/app0:v0; create it again with `image-override lock`")
}

// TestEarlierDigestsKeepTheirComments: comments in an existing file of digests are kept.
func TestEarlierDigestsKeepTheirComments(t *testing.T) {
	options := generate.Options{Chart: chartOf(t, 1), Registry: "reg.corp", Digests: map[string]string{"quay.io/team/app0:v0": "sha256:" + hex.EncodeToString(make([]byte, 32))}}
	result, err := generate.Run(context.Background(), options)
	require.NoError(t, err)
	options.Earlier = write(t, result)
	path := filepath.Join(options.Earlier, generate.DigestsFile)
	commented := append([]byte("# Ours.\n"), result.Files[generate.DigestsFile]...)
	require.NoError(t, os.WriteFile(path, append(commented, []byte("# The end.\n")...), 0o644))
	again, err := generate.Run(context.Background(), options)
	require.NoError(t, err)
	require.Contains(t, string(again.Files[generate.DigestsFile]), "# The end.")
}
