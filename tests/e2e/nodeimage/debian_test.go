package nodeimage

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/internal/process"
)

func TestDebianMirror(t *testing.T) {
	for name, test := range map[string]struct {
		targets, want, err string
	}{
		"the main archive": {
			targets: "Other|Other|http://tools.test/apt/\nDebian|Debian-Security|http://mirror.test/security/\n" +
				"Debian|Debian|http://mirror.test/debian/\nDebian|Debian|http://mirror.test/second/\n",
			want: "http://mirror.test/debian",
		},
		"none": {
			targets: "Ubuntu|Ubuntu|http://mirror.test/ubuntu/\n",
			err: "apt on this machine has no Debian archive among its sources; " +
				"add one and run apt-get update, or run on a machine that can pull kindest/node:v1.34.3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := debianMirror(test.targets)
			if test.err != "" {
				assert.EqualError(t, err, test.err)
				return
			}
			assert.NoError(t, err)
			assert.Equal(t, test.want, got)
		})
	}
}

func TestNodeLayerRunsTheCustomizeScript(t *testing.T) {
	out := filepath.Join(t.TempDir(), "debian.tar")
	var hook, script string
	var args []string
	run := func(_ context.Context, c process.Command) (string, error) {
		args = c.Args
		for _, arg := range c.Args {
			if path, found := strings.CutPrefix(arg, "--customize-hook="); found {
				text, err := os.ReadFile(path)
				require.NoError(t, err)
				hook, script = path, string(text)
			}
		}
		return "", os.WriteFile(out+".unfinished", []byte("tar"), 0o600)
	}
	require.NoError(t, debian{run: run}.node(context.Background(), "http://mirror.test/debian", out))
	assert.Equal(t, []string{
		"--variant=minbase", "--format=tar", "--include=" + strings.Join(nodePackages, ","),
		"--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-exclude=/usr/share/man/*",
		"--customize-hook=" + hook, "bookworm", out + ".unfinished", "deb http://mirror.test/debian bookworm main",
	}, args)
	assert.Equal(t, file("customize.sh"), script)
	assert.NoFileExists(t, hook)
	assert.FileExists(t, out)
}
