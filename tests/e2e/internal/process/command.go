// Package process runs other programs. A Runner is a plain function, so that tests pass a fake in its place.
package process

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Command is one call of a program.
type Command struct {
	// Name is the program, looked up in PATH unless it has a slash.
	Name string
	Args []string
	// Env is added to the environment of this process, each "KEY=value".
	Env []string
	// Dir is the directory to run in; empty is the current one.
	Dir   string
	Stdin io.Reader
}

// String returns the command line, without quoting.
func (c Command) String() string { return strings.Join(append([]string{c.Name}, c.Args...), " ") }

// Runner runs a command and returns its standard output without the closing newline. The error of a program that failed contains the command and the
// last lines of its output.
type Runner func(ctx context.Context, c Command) (string, error)

// Program runs a program with arguments, for its effects.
func (r Runner) Program(ctx context.Context, name string, args ...string) error {
	_, err := r(ctx, Command{Name: name, Args: args})
	return err
}

// Exec is the Runner that runs programs. When ctx ends, the command and all programs that it started receive an interrupt; the command is killed ten
// seconds later.
func Exec(ctx context.Context, c Command) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, c.Name, c.Args...)
	cmd.Env, cmd.Dir, cmd.Stdin = append(os.Environ(), c.Env...), c.Dir, c.Stdin
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return stdout.String(), fmt.Errorf("%s: %w%s", c, err, tail(stderr.String()))
	}
	return strings.TrimSuffix(stdout.String(), "\n"), nil
}

// tail returns the last lines of a program's output, on separate lines.
func tail(output string) string {
	const most = 15
	output = strings.TrimSpace(output)
	if output == "" {
		return ""
	}
	lines := strings.Split(output, "\n")
	if len(lines) > most {
		lines = lines[len(lines)-most:]
	}
	return "\n\t" + strings.Join(lines, "\n\t")
}
