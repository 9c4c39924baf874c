// Package archivetest lists archives for tests that compare them as a whole.
package archivetest

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Listing returns a line for each entry of a tar stream: kind, mode, owner, name, and content or target. Entries must have no time and no owner name,
// which would differ between two builds.
func Listing(t testing.TB, stream io.Reader) []string {
	t.Helper()
	var lines []string
	in := tar.NewReader(stream)
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return lines
		}
		require.NoError(t, err)
		assert.Equal(t, int64(0), header.ModTime.Unix(), header.Name)
		assert.Empty(t, header.Uname, header.Name)
		content, err := io.ReadAll(in)
		require.NoError(t, err)
		kind, rest := "f", " "+string(content)
		switch header.Typeflag {
		case tar.TypeDir:
			kind, rest = "d", ""
		case tar.TypeSymlink:
			kind, rest = "l", " -> "+header.Linkname
		case tar.TypeLink:
			kind, rest = "h", " = "+header.Linkname
		}
		lines = append(lines, fmt.Sprintf("%s %o %d:%d %s%s", kind, header.Mode, header.Uid, header.Gid, header.Name, rest))
	}
}
