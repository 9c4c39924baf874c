package outfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/outfile"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	name := filepath.Join(folder, "a")
	require.NoError(t, outfile.Write(name, []byte("1"), 0o640))
	require.NoError(t, outfile.Write(name, []byte("2"), 0o640))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "2", string(text))
	info, err := os.Stat(name)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o640), info.Mode().Perm())
	assert.EqualError(t, outfile.Write(folder, nil, 0o640), folder+" cannot be written: it is a directory")
	assert.EqualError(t, outfile.Write(filepath.Join(folder, "b", "c"), nil, 0o640), filepath.Join(folder, "b", "c")+" cannot be written: no such file or directory")
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Len(t, left, 1, "a partial file is left")
}

// review finding 11: outputs follow symbolic links
func TestNoWriteFollowsALink(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	victim, link := filepath.Join(folder, "victim"), filepath.Join(folder, "link")
	require.NoError(t, os.WriteFile(victim, []byte("keep"), 0o600))
	require.NoError(t, os.Symlink(victim, link))
	assert.EqualError(t, outfile.Write(link, []byte("x"), 0o600), link+" cannot be written: it is a symbolic link; name the file that it points to")
	assert.ErrorContains(t, outfile.Place(link, []byte("x"), 0o600), link+" cannot be written: ")

	late := filepath.Join(folder, "late")
	file, err := outfile.Create(late, 0o600)
	require.NoError(t, err)
	require.NoError(t, os.Symlink(victim, late))
	_, err = file.Write([]byte("x"))
	require.NoError(t, err)
	require.NoError(t, file.Finish())
	text, err := os.ReadFile(victim)
	require.NoError(t, err)
	assert.Equal(t, "keep", string(text))
}

func TestDevicesAndPipesAreWrittenInPlace(t *testing.T) {
	t.Parallel()
	require.NoError(t, outfile.Write("/dev/null", []byte("x"), 0o600))
	require.NoError(t, outfile.Write("/dev/fd/1", nil, 0o600))
	info, err := os.Lstat("/dev/null")
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&os.ModeCharDevice)
}

func TestAbandon(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file, err := outfile.Create(filepath.Join(folder, "a"), 0o600)
	require.NoError(t, err)
	require.NoError(t, file.Abandon())
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestPlace(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a")
	require.NoError(t, outfile.Place(name, []byte("longer"), 0o600))
	require.NoError(t, outfile.Place(name, []byte("x"), 0o600))
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "x", string(text))
}
