package archive

import (
	"archive/tar"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLayer(t *testing.T) {
	source := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(source, []byte("code"), 0o600))
	path := layer(t, func(l *Layer) {
		l.Text("etc/app/config", 0o644, "text")
		l.Text("etc/app/more", 0o600, "")
		l.Copy("bin/program", 0o755, source)
		l.Link("bin/alias", "program")
		l.Dir("tmp", 0o777|fs.ModeSticky)
	})
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	var got []string
	for r := tar.NewReader(file); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		got = append(got, fmt.Sprintf("%c %04o %d:%d %s %s %d", h.Typeflag, h.Mode, h.Uid, h.Gid, h.Name, h.Linkname, h.Size))
	}
	assert.Equal(t, []string{
		"5 0755 0:0 bin/  0",
		"2 0777 0:0 bin/alias program 0",
		"0 0755 0:0 bin/program  4",
		"5 0755 0:0 etc/  0",
		"5 0755 0:0 etc/app/  0",
		"0 0644 0:0 etc/app/config  4",
		"0 0600 0:0 etc/app/more  0",
		"5 1777 0:0 tmp/  0",
	}, got)
}

func TestLayerKeepsItsFirstError(t *testing.T) {
	for name, test := range map[string]struct {
		fill func(*Layer)
		want string
	}{
		"missing source": {
			func(l *Layer) {
				l.Copy("a", 0o644, "/nowhere")
				l.Text("b", 0o644, "b")
				l.Copy("c", 0o644, "/neither")
			},
			"layer entry /a: open /nowhere: no such file or directory",
		},
		"absolute path": {func(l *Layer) { l.Text("/etc", 0o644, "") }, "layer path /etc is not relative"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := Create(filepath.Join(t.TempDir(), "layer.tar"))
			require.NoError(t, err)
			test.fill(l)
			assert.EqualError(t, l.Close(), test.want)
		})
	}
}
