package ocilayer_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/images/ocilayer"
	"gitops-runtime/tests/e2e/internal/archivetest"
)

func TestWriteTarSortsAddsParentsAndFixesTimes(t *testing.T) {
	host := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(host, []byte("binary"), 0o600))
	var out bytes.Buffer
	require.NoError(t, ocilayer.WriteTar(&out, []ocilayer.Entry{
		{Path: "/usr/bin/program", HostFile: host, Mode: 0o755},
		{Path: "/tmp", Dir: true, Mode: 0o1777},
		{Path: "/home/argo", Dir: true, UID: 8737, GID: 8737},
		{Path: "/usr/bin/alias", Link: "program"},
		{Path: "/etc/passwd", Content: "root\n"},
	}))
	assert.Equal(t, []string{
		"d 755 0:0 etc/",
		"f 644 0:0 etc/passwd root\n",
		"d 755 0:0 home/",
		"d 755 8737:8737 home/argo/",
		"d 1777 0:0 tmp/",
		"d 755 0:0 usr/",
		"d 755 0:0 usr/bin/",
		"l 777 0:0 usr/bin/alias -> program",
		"f 755 0:0 usr/bin/program binary",
	}, archivetest.Listing(t, &out))
}

func TestWriteTarRefuses(t *testing.T) {
	tests := map[string]struct {
		entries []ocilayer.Entry
		want    string
	}{
		"a relative path": {
			[]ocilayer.Entry{{Path: "etc"}},
			`layer entry "etc": give an absolute path without a trailing slash or dots`,
		},
		"a trailing slash": {
			[]ocilayer.Entry{{Path: "/etc/"}},
			`layer entry "/etc/": give an absolute path without a trailing slash or dots`,
		},
		"a path given twice": {
			[]ocilayer.Entry{{Path: "/etc", Dir: true}, {Path: "/etc", Link: "/usr/etc"}},
			"layer entry /etc is given twice",
		},
		"a file that is not there": {
			[]ocilayer.Entry{{Path: "/a", HostFile: "/no/such/file"}},
			"layer entry /a: open /no/such/file: no such file or directory",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.EqualError(t, ocilayer.WriteTar(io.Discard, test.entries), test.want)
		})
	}
}

func TestLayerDigestDependsOnContentsAlone(t *testing.T) {
	digest := func(entries ...ocilayer.Entry) string {
		layer := ocilayer.FromEntries(entries)
		content, err := layer.Compressed()
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, content)
		require.NoError(t, err)
		require.NoError(t, content.Close())
		hash, err := layer.Digest()
		require.NoError(t, err)
		return hash.String()
	}
	a, b := ocilayer.Entry{Path: "/a", Content: "1"}, ocilayer.Entry{Path: "/b", Content: "2"}
	assert.Equal(t, digest(a, b), digest(b, a))
	assert.NotEqual(t, digest(a, b), digest(a))
}

func TestLayerPassesTheWritersErrorOn(t *testing.T) {
	broken := errors.New("disk is gone")
	content, err := ocilayer.FromTar(func(io.Writer) error { return broken }).Compressed()
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, content)
	assert.ErrorIs(t, err, broken)
}
