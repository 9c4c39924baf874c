package archive

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/localcluster/internal/archive/archivetest"
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
	assert.Equal(t, []string{
		"d 755 0:0 bin/",
		"l 777 0:0 bin/alias -> program",
		"f 755 0:0 bin/program code",
		"d 755 0:0 etc/",
		"d 755 0:0 etc/app/",
		"f 644 0:0 etc/app/config text",
		"f 600 0:0 etc/app/more ",
		"d 1777 0:0 tmp/",
	}, archivetest.Listing(t, file))
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
