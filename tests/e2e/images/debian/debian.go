// Package debian builds the layer that all images with Debian programs share: a root file system of the given packages and their dependencies, without
// init, apt, documentation or translations.
package debian

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"

	"gitops-runtime/tests/e2e/images/store"
	"gitops-runtime/tests/hostlock"
)

// RootFS describes a root file system of Debian packages.
type RootFS struct {
	// Packages are given by name; the essential ones and dependencies (without Recommends) are added.
	Packages []string
	// Users and Groups are lines for /etc/passwd and /etc/group.
	Users, Groups []string
}

// Commands runs programs. The zero value runs those of this machine; tests replace it.
type Commands struct {
	// Output runs a program and returns its standard output.
	Output func(ctx context.Context, name string, args ...string) ([]byte, error)
	// LookPath finds a program.
	LookPath func(name string) (string, error)
	// UID returns the user ID of this process.
	UID func() int
}

// Machine returns the Commands of this machine.
func Machine() Commands {
	return Commands{Output: output, LookPath: exec.LookPath, UID: os.Getuid}
}

func output(ctx context.Context, name string, args ...string) ([]byte, error) {
	out, err := exec.CommandContext(ctx, name, args...).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return nil, fmt.Errorf("%s: %w: %s", name, err, lastLines(string(failed.Stderr), 3))
	}
	return out, err
}

// Sources returns the lines of a sources.list for the Debian mirror that apt uses on this machine: "deb <uri> <suite> <component>".
func (c Commands) Sources(ctx context.Context) ([]string, error) {
	if _, err := c.LookPath("apt-get"); err != nil {
		return nil, fmt.Errorf("images with Debian programs (nginx, redis, argocd) are built on Debian, and this machine has no apt-get: "+
			"use a machine with Debian, or one that reaches the image registries: %w", err)
	}
	out, err := c.Output(ctx, "apt-get", "indextargets", "--format", "deb $(REPO_URI) $(RELEASE) $(COMPONENT)",
		"Created-By: Packages", "Origin: Debian")
	if err != nil {
		return nil, fmt.Errorf("asking apt for the Debian mirror: %w", err)
	}
	lines := distinct(strings.Split(strings.TrimSpace(string(out)), "\n"))
	if len(lines) == 0 {
		return nil, errors.New("apt knows no Debian mirror yet: run apt-get update as root, and see that /etc/apt names one")
	}
	return lines, nil
}

// Network returns this machine's apt settings for proxies and their certificates, each a line of an apt.conf.
func (c Commands) Network(ctx context.Context) ([]string, error) {
	out, err := c.Output(ctx, "apt-config", "dump", "Acquire")
	if err != nil {
		return nil, fmt.Errorf("asking apt for its proxy: %w", err)
	}
	var lines []string
	for _, line := range strings.Split(string(out), "\n") {
		if name, _, ok := strings.Cut(line, " "); ok && networkSetting.MatchString(name) {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

var networkSetting = regexp.MustCompile(`(?i)::(proxy|proxy-auto-detect|cainfo)(::|$)`)

// Key identifies the inputs of the root file system: packages, users and the suites of Debian. Updates of packages within a suite do not change it.
func (r RootFS) Key(sources []string) (string, error) {
	return store.Key("debian", r, Suites(sources), runtime.GOARCH, dropped, droppedFiles)
}

// Suites returns the sources without their addresses, in the given order: the suites determine the packages, the mirror does not.
func Suites(sources []string) []string {
	suites := make([]string, 0, len(sources))
	for _, line := range sources {
		if fields := strings.Fields(line); len(fields) > 3 {
			suites = append(suites, strings.Join(fields[2:], " "))
		}
	}
	return suites
}

// Prepare makes sure that mmdebstrap is available: it is installed with apt-get if this process is root, otherwise a missing program is an error. say
// is called with a line when something is installed.
func (c Commands) Prepare(ctx context.Context, say func(string)) error {
	installed := func() bool { _, err := c.LookPath("mmdebstrap"); return err == nil }
	if installed() {
		return nil
	}
	if c.UID() != 0 {
		return errors.New("mmdebstrap is needed to build the images with Debian programs: run `apt-get install mmdebstrap` as root")
	}
	say("installing the Debian package mmdebstrap")
	run := func(ctx context.Context, name string, args ...string) error {
		_, err := c.Output(ctx, name, args...)
		return err
	}
	if err := hostlock.Install(ctx, run, installed, "mmdebstrap"); err != nil {
		return fmt.Errorf("installing mmdebstrap: %w", err)
	}
	return nil
}

// Write builds the root file system from the sources, with the apt settings network, and writes it as a tar stream: sorted by mmdebstrap, with fixed
// times, and without what containers do not need (see dropped).
func (r RootFS) Write(ctx context.Context, sources, network []string, w io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	args := []string{"--quiet", "--variant=essential", "--format=tar", "--include=" + strings.Join(r.Packages, ",")}
	for _, line := range network {
		args = append(args, "--aptopt="+line)
	}
	command := exec.CommandContext(ctx, "mmdebstrap", append(args, "", "-", "-")...)
	command.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=0")
	command.Stdin = strings.NewReader(strings.Join(sources, "\n") + "\n")
	var problems strings.Builder
	command.Stderr = &problems
	stream, err := command.StdoutPipe()
	if err != nil {
		return fmt.Errorf("mmdebstrap: %w", err)
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("mmdebstrap: %w", err)
	}
	filterErr := r.filter(stream, w)
	if filterErr != nil {
		cancel()
	}
	if err := command.Wait(); err != nil && !errors.Is(err, context.Canceled) && filterErr == nil {
		return fmt.Errorf("mmdebstrap: %w: %s", err, lastLines(problems.String(), 5))
	}
	if filterErr != nil {
		return fmt.Errorf("root file system of Debian packages: %w: %s", filterErr, lastLines(problems.String(), 5))
	}
	return nil
}

func lastLines(text string, count int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > count {
		lines = lines[len(lines)-count:]
	}
	return strings.Join(lines, "; ")
}

func distinct(lines []string) []string {
	seen := map[string]bool{}
	var kept []string
	for _, line := range lines {
		if line != "" && !seen[line] {
			seen[line] = true
			kept = append(kept, line)
		}
	}
	return kept
}
