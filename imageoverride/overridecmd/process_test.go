package overridecmd_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/emit"
	"gitops-runtime/imageoverride/generate"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/mirror/mirrortest"
	"gitops-runtime/imageoverride/overridecmd"
	"gitops-runtime/internal/registry/registrytest"
)

// asProgram is set in processes that run the program instead of its tests.
const asProgram = "IMAGE_OVERRIDE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard)
	if os.Getenv(asProgram) != "" {
		os.Exit(overridecmd.Main(os.Args[1:], overridecmd.Streams{Out: os.Stdout, Err: os.Stderr}))
	}
	os.Exit(m.Run())
}

// program returns a command that runs the program as a process.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	self, err := os.Executable()
	require.NoError(t, err)
	command := exec.CommandContext(ctx, self, args...)
	command.Env = append(os.Environ(), asProgram+"=1")
	return command
}

// tableOf writes a mirror table.
func tableOf(t *testing.T, pairs []mapping.Pair) string {
	t.Helper()
	data, err := emit.Mirror(pairs)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), generate.MirrorFile)
	require.NoError(t, os.WriteFile(path, data, 0o644))
	return path
}

// TestMirrorKilled kills the program after half of fifty images are copied, and runs it again.
func TestMirrorKilled(t *testing.T) {
	from, to := registrytest.Start(t), registrytest.Start(t)
	pairs := mirrortest.Fill(t, from, to, 50, 4<<10)
	table := tableOf(t, pairs)
	first := program(t, "mirror", table)
	var tags atomic.Int32
	dead := make(chan struct{})
	to.Failing(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPut || !strings.HasSuffix(r.URL.Path, "/manifests/v1") {
			return false
		}
		if tags.Add(1) == 25 {
			_ = first.Process.Kill()
			close(dead)
		}
		select {
		case <-dead:
			return true // requests of the killed process receive no response
		default:
			return false
		}
	})
	require.Error(t, first.Run(), "killed")
	<-dead
	to.Failing(nil)
	before := to.Uploads()
	require.NotEmpty(t, before)

	out, err := program(t, "mirror", table).CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Equal(t, 50, strings.Count(string(out), "\n"))
	assert.GreaterOrEqual(t, strings.Count(string(out), "] present "), 15, string(out))
	after := to.Uploads()
	for digest, count := range before {
		assert.Equal(t, count, after[digest], "%s was complete and is uploaded again", digest)
	}
	assert.Empty(t, to.Twice())
	for _, pair := range pairs {
		require.Equal(t, registrytest.DigestAt(t, pair.Source), registrytest.DigestAt(t, pair.Target), pair.Target)
	}
}

// TestSignals: a signal ends the program although a registry never responds, with the exit code that shells expect.
func TestSignals(t *testing.T) {
	for signal, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		t.Run(signal.String(), func(t *testing.T) {
			from, to := registrytest.Start(t), registrytest.Start(t)
			table := tableOf(t, mirrortest.Fill(t, from, to, 2, 0))
			asked, done := make(chan struct{}), make(chan struct{})
			var once sync.Once
			from.Failing(func(_ http.ResponseWriter, r *http.Request) bool {
				once.Do(func() { close(asked) })
				select {
				case <-done:
				case <-r.Context().Done():
				}
				return true
			})
			defer close(done)
			command := program(t, "mirror", table)
			require.NoError(t, command.Start())
			<-asked
			require.NoError(t, command.Process.Signal(signal))
			var exit *exec.ExitError
			require.ErrorAs(t, command.Wait(), &exit)
			require.Equal(t, code, exit.ExitCode())
		})
	}
}

// TestMirrorWithoutRoomForTheJournal: the file size limit of the kernel fails writes to the journal, as a full disk or a quota does. The journal is
// the only file that a copy writes to disk.
func TestMirrorWithoutRoomForTheJournal(t *testing.T) {
	from, to := registrytest.Start(t), registrytest.Start(t)
	pairs := mirrortest.Fill(t, from, to, 20, 0)
	table := tableOf(t, pairs)
	limited := program(t, "mirror", table)
	limited.Args = append([]string{"sh", "-c", `trap "" XFSZ; ulimit -f 2; exec "$0" "$@"`, limited.Path}, limited.Args[1:]...)
	limited.Path = "/bin/sh"
	var errs bytes.Buffer
	limited.Stderr = &errs
	var exit *exec.ExitError
	require.True(t, errors.As(limited.Run(), &exit))
	assert.Equal(t, overridecmd.ExitFailure, exit.ExitCode())
	assert.Equal(t, "Error: journal "+table+".journal cannot be written: file too large; free some space, or choose another location with --journal, and run the command again to continue\n", errs.String())

	out, err := program(t, "mirror", table).CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Empty(t, to.Twice(), "a completed blob is uploaded again")
	for _, pair := range pairs {
		require.Equal(t, registrytest.DigestAt(t, pair.Source), registrytest.DigestAt(t, pair.Target), pair.Target)
	}
}

// TestMirrorReportsFailuresOnce: the output has one line per image and a summary.
func TestMirrorReportsFailuresOnce(t *testing.T) {
	from, to := registrytest.Start(t), registrytest.Start(t)
	pairs := mirrortest.Fill(t, from, to, 3, 0)
	pairs[0].Source, pairs[2].Source = from.Name+"/team/none:v1", from.Name+"/team/none:v2"
	got := run(t, "mirror", tableOf(t, pairs), "--jobs", "1")
	reason := func(i int) string {
		return "read " + pairs[i].Source + " failed: " + from.Name + " answers 404 (unknown name); check the name and the tag"
	}
	assert.Equal(t, outcome{
		code: overridecmd.ExitFailure,
		out: "[1/3] failed: " + reason(0) + "\n" +
			"[2/3] copied " + pairs[1].Source + " -> " + pairs[1].Target + "\n" +
			"[3/3] failed: " + reason(2) + "\n",
		err: "Error: 2 of 3 images failed, the others are done; the first: " + reason(0) + "\n",
	}, got)
}
