package docker

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestProgramsLeftBehindHoldNoInheritedPipe opens a pipe without close-on-exec, as the child of a shell has it.
func TestProgramsLeftBehindHoldNoInheritedPipe(t *testing.T) {
	read, write, err := os.Pipe()
	require.NoError(t, err)
	defer read.Close()
	_, err = unix.FcntlInt(write.Fd(), unix.F_SETFD, 0)
	require.NoError(t, err)

	require.NoError(t, closeInheritedOnExec())
	left := exec.Command("sleep", "60")
	require.NoError(t, left.Start())
	defer func() { _ = left.Process.Kill(); _ = left.Wait() }()
	require.NoError(t, write.Close())

	require.NoError(t, read.SetReadDeadline(time.Now().Add(10*time.Second)))
	_, err = read.Read(make([]byte, 1))
	assert.EqualError(t, err, "EOF", "the program that was left behind keeps the pipe open")
}
