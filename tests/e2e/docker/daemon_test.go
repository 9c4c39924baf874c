package docker

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDaemonConfig(t *testing.T) {
	plain := `{
		"hosts": ["unix:///c/docker.sock"], "data-root": "/c/data", "exec-root": "/c/exec", "pidfile": "/c/docker.pid",
		"containerd-namespace": "gitops-runtime", "containerd-plugins-namespace": "gitops-runtime-plugins"`
	for name, test := range map[string]struct {
		wrap bool
		want string
	}{
		"plain": {false, plain + "}"},
		"wrapped": {true, plain + `,
			"runtimes": {"without-sys-resource": {"path": "/c/runc"}}, "default-runtime": "without-sys-resource"}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := daemonConfig("/c", test.wrap)
			require.NoError(t, err)
			assert.JSONEq(t, test.want, string(got))
		})
	}
}

func TestStartRefusesADirectoryWithALongName(t *testing.T) {
	daemon := &Daemon{Dir: "/" + strings.Repeat("d", 90)}
	assert.EqualError(t, daemon.Start(context.Background()), "the path "+daemon.Dir+
		" is too long for Docker's sockets: set XDG_CACHE_HOME to a directory with a shorter name")
}

func TestMountsBelow(t *testing.T) {
	mountinfo := `22 1 254:0 / / rw shared:1 - ext4 /dev/vda rw
90 22 0:40 / /c/data/overlay2/a/merged rw - overlay overlay rw
91 22 0:4 net /c/exec/netns/1 rw - nsfs nsfs rw
92 22 0:41 / /cache rw - tmpfs tmpfs rw
`
	assert.Equal(t, []string{"/c/exec/netns/1", "/c/data/overlay2/a/merged"}, mountsBelow(mountinfo, "/c"))
	assert.Empty(t, mountsBelow(mountinfo, "/nowhere"))
}

func TestPidIsOnlyADaemonOfItsOwn(t *testing.T) {
	daemon := &Daemon{Dir: t.TempDir()}
	pid, err := daemon.pid()
	require.NoError(t, err)
	assert.Zero(t, pid, "no pid file")

	file := filepath.Join(daemon.Dir, "docker.pid")
	require.NoError(t, os.WriteFile(file, []byte("1\n"), 0o600))
	pid, err = daemon.pid()
	require.NoError(t, err)
	assert.Zero(t, pid, "another program's process")

	require.NoError(t, os.WriteFile(file, []byte("one"), 0o600))
	_, err = daemon.pid()
	assert.EqualError(t, err, file+`: strconv.Atoi: parsing "one": invalid syntax`)
}

func TestRemoveWithoutADaemon(t *testing.T) {
	daemon := &Daemon{Dir: filepath.Join(t.TempDir(), "docker")}
	require.NoError(t, os.MkdirAll(filepath.Join(daemon.Dir, "data"), 0o700))
	require.NoError(t, daemon.Remove(context.Background()))
	assert.NoDirExists(t, daemon.Dir)
}
