package overridecmd_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/mirror/mirrortest"
	"gitops-runtime/imageoverride/overridecmd"
	"gitops-runtime/internal/registry/registrytest"
	"gitops-runtime/internal/testkit"
)

// bundled has what a bundle is built of.
type bundled struct {
	from         *registrytest.Registry
	table, chart string
}

func toBundle(t *testing.T, images, size int) bundled {
	t.Helper()
	from := registrytest.Start(t)
	pairs := mirrortest.Fill(t, from, from, images, size)
	chart := oneTemplate(t, "image: "+pairs[0].Source+"\n", "kind: Pod\nmetadata: {name: app}\nspec: {containers: [{image: '{{ .Values.image }}'}]}\n", nil)
	return bundled{from, tableOf(t, pairs), chart}
}

// args returns the command line that writes a bundle and its archive below a folder.
func (b bundled) args(folder string) []string {
	return []string{"bundle", b.table, "--chart", b.chart, "-o", filepath.Join(folder, "bundle"), "--archive", filepath.Join(folder, "bundle.tar")}
}

// killAt runs the program and kills it at a request to a registry, which answers neither this one nor later ones.
func killAt(t *testing.T, at *registrytest.Registry, request int32, args ...string) {
	t.Helper()
	command := program(t, args...)
	var count atomic.Int32
	running, dead := make(chan struct{}), make(chan struct{})
	at.Failing(func(http.ResponseWriter, *http.Request) bool {
		switch number := count.Add(1); {
		case number == request:
			<-running
			_ = command.Process.Kill()
			close(dead)
			return true
		case number > request:
			<-dead
			return true
		}
		return false
	})
	require.NoError(t, command.Start())
	close(running)
	require.Error(t, command.Wait(), "killed at request %d", request)
	at.Failing(nil)
}

// TestBundleKilled: a run that is killed at any of ten moments leaves nothing that can be loaded, and the next one makes the bundle that an uninterrupted
// one makes.
func TestBundleKilled(t *testing.T) {
	b, whole := toBundle(t, 6, 4<<10), t.TempDir()
	var requests atomic.Int32
	b.from.Failing(func(http.ResponseWriter, *http.Request) bool { requests.Add(1); return false })
	require.Equal(t, overridecmd.ExitOK, run(t, b.args(whole)...).code)
	total := requests.Load()
	require.Greater(t, total, int32(20))
	for moment := range int32(10) {
		folder := t.TempDir()
		killAt(t, b.from, 1+moment*(total-1)/10, b.args(folder)...)
		require.NoFileExists(t, filepath.Join(folder, "bundle.tar"))
		got := run(t, "load", filepath.Join(folder, "bundle"), "--registry", "reg.corp", "-o", t.TempDir())
		require.Equal(t, overridecmd.ExitFailure, got.code)
		require.Contains(t, got.err, "it is a folder that `image-override bundle` finished")

		got = run(t, b.args(folder)...)
		require.Equal(t, overridecmd.ExitOK, got.code, got.err)
		require.Equal(t, testkit.Files(t, whole), testkit.Files(t, folder), "moment %d", moment)
	}
}

// TestLoadKilled: a load that is killed at any of ten moments reports no lock, and the next one completes the registry, without sending a finished blob
// again.
func TestLoadKilled(t *testing.T) {
	b, folder := toBundle(t, 6, 4<<10), t.TempDir()
	require.Equal(t, overridecmd.ExitOK, run(t, b.args(folder)...).code)
	b.from.Failing(func(_ http.ResponseWriter, r *http.Request) bool {
		return assert.Fail(t, "a request across the gap", r.URL)
	})
	load := func(to *registrytest.Registry, out string) []string {
		return []string{"load", filepath.Join(folder, "bundle.tar"), "--registry", to.Name + "/inside", "-o", out}
	}
	files := func(to *registrytest.Registry, out string) map[string]string {
		all := testkit.Files(t, out)
		for name, text := range all {
			all[name] = strings.ReplaceAll(text, to.Name, "reg.corp")
		}
		return all
	}
	whole, out := registrytest.Start(t), t.TempDir()
	var requests atomic.Int32
	whole.Failing(func(http.ResponseWriter, *http.Request) bool { requests.Add(1); return false })
	require.Equal(t, overridecmd.ExitOK, run(t, load(whole, out)...).code)
	want, total := files(whole, out), requests.Load()
	require.Greater(t, total, int32(20))
	for moment := range int32(10) {
		to, out := registrytest.Start(t), t.TempDir()
		killAt(t, to, 1+moment*(total-1)/10, load(to, out)...)
		require.NoFileExists(t, filepath.Join(out, "image-lock.json"))
		require.NoFileExists(t, filepath.Join(out, "image-mirror.csv"))
		got := run(t, load(to, out)...)
		require.Equal(t, overridecmd.ExitOK, got.code, got.err)
		require.Equal(t, want, files(to, out), "moment %d", moment)
		require.Equal(t, whole.Uploads(), to.Uploads(), "moment %d", moment)
		got = run(t, "verify-mirror", filepath.Join(out, "image-mirror.csv"), "--lock", filepath.Join(out, "image-lock.json"), "--read")
		require.Equal(t, overridecmd.ExitOK, got.code, got.out+got.err)
	}
}

// TestBundleWithoutRoom: a full disk, here the kernel's limit of file sizes, ends the run with one sentence; nothing that is left can be loaded, and the
// next run goes on.
func TestBundleWithoutRoom(t *testing.T) {
	b, folder, whole := toBundle(t, 4, 20<<10), t.TempDir(), t.TempDir()
	limited := func(blocks string, args ...string) (string, int) {
		command := program(t, args...)
		command.Args = append([]string{"sh", "-c", `trap "" XFSZ; ulimit -f ` + blocks + `; exec "$0" "$@"`, command.Path}, command.Args[1:]...)
		command.Path = "/bin/sh"
		var said strings.Builder
		command.Stderr = &said
		var exit *exec.ExitError
		require.ErrorAs(t, command.Run(), &exit)
		return said.String(), exit.ExitCode()
	}
	said, code := limited("8", b.args(folder)...)
	assert.Equal(t, overridecmd.ExitFailure, code)
	assert.Equal(t, "Error: bundle "+folder+"/bundle cannot be written: file too large; free some space, or choose another location with -o, and run the command again to continue\n", said)
	require.NoFileExists(t, folder+"/bundle/bundle.json")
	require.NoFileExists(t, folder+"/bundle.tar")

	said, code = limited("100", b.args(folder)...)
	assert.Equal(t, overridecmd.ExitFailure, code)
	assert.Equal(t, "Error: archive "+folder+"/bundle.tar cannot be written: file too large; free some space, or choose another location with --archive, and run the command again\n", said)
	require.NoFileExists(t, folder+"/bundle.tar")

	require.Equal(t, overridecmd.ExitOK, run(t, b.args(folder)...).code)
	require.Equal(t, overridecmd.ExitOK, run(t, b.args(whole)...).code)
	require.Equal(t, testkit.Files(t, whole), testkit.Files(t, folder))

	out := t.TempDir()
	said, code = limited("8", "load", folder+"/bundle.tar", "--registry", "reg.corp", "-o", out)
	assert.Equal(t, overridecmd.ExitFailure, code)
	assert.Regexp(t, "^Error: "+out+"/bundle/blobs/sha256/[0-9a-f]{64} cannot be written: file too large; free some space, or choose another location with -o, and run the command again\n$", said)
}

// TestBundleFlipped: one changed bit in the archive, wherever it is, is named before anything is sent to the registry.
func TestBundleFlipped(t *testing.T) {
	b, folder, to := toBundle(t, 2, 2000), t.TempDir(), registrytest.Start(t)
	require.Equal(t, overridecmd.ExitOK, run(t, b.args(folder)...).code)
	blobs, err := filepath.Glob(folder + "/bundle/blobs/sha256/*")
	require.NoError(t, err)
	to.Failing(func(_ http.ResponseWriter, r *http.Request) bool {
		assert.Fail(t, "a request", r.URL)
		return false
	})
	whole, err := os.ReadFile(folder + "/bundle.tar")
	require.NoError(t, err)
	for _, blob := range blobs {
		content, err := os.ReadFile(blob)
		require.NoError(t, err)
		at := strings.Index(string(whole), string(content)) + len(content)/2
		flipped := append([]byte{}, whole...)
		flipped[at] ^= 1
		require.NoError(t, os.WriteFile(folder+"/flipped.tar", flipped, 0o600))
		got := run(t, "load", folder+"/flipped.tar", "--registry", to.Name, "-o", t.TempDir())
		require.Equal(t, overridecmd.ExitFailure, got.code)
		require.Contains(t, got.err, "blob sha256:"+filepath.Base(blob)+" is damaged; build the bundle again, what is right in it is kept")
	}
	// What an earlier bundle in the same folder had, and this one does not, is left out.
	other := toBundle(t, 1, 3000)
	got := run(t, other.args(folder)...)
	require.Equal(t, overridecmd.ExitOK, got.code, got.err)
	alone := t.TempDir()
	require.Equal(t, overridecmd.ExitOK, run(t, other.args(alone)...).code)
	require.Equal(t, testkit.Files(t, alone)["bundle.tar"], testkit.Files(t, folder)["bundle.tar"])
}
