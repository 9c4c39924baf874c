package docker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"gitops-runtime/tests/e2e/internal/process"
	"gitops-runtime/tests/e2e/internal/progress"
	"gitops-runtime/tests/hostlock"
)

// Finder finds an engine that can run kind, or starts one.
type Finder struct {
	// Dir is the private daemon's directory: its data, socket and log.
	Dir string
	// Run runs programs; nil is process.Exec.
	Run process.Runner
	// Observer is notified of steps that take time; it may be nil.
	Observer progress.Observer
	// Environment looks up a variable; nil is os.LookupEnv.
	Environment func(string) (string, bool)
}

// Find returns the first engine that works of: the one in DOCKER_HOST (then no other is tried), the private daemon that an earlier call started, the
// machine's default engine, and a new private daemon. The last needs root, and on Debian installs Docker's packages if they are missing.
func (f Finder) Find(ctx context.Context) (*Engine, error) {
	f = f.withDefaults()
	if host, found := f.Environment("DOCKER_HOST"); found && host != "" {
		engine := At(host, f.Run)
		if err := works(ctx, engine); err != nil {
			return nil, fmt.Errorf("DOCKER_HOST is %s: %w; name a working engine, or unset it to have one found", host, err)
		}
		return engine, nil
	}
	private := &Daemon{Dir: f.Dir, Run: f.Run}
	if engine := private.Engine(); private.exists() && engine.Answers(ctx) == nil {
		return engine, nil
	}
	machines := At("", f.Run)
	refusal := works(ctx, machines)
	if refusal == nil {
		return machines, nil
	}
	if os.Geteuid() != 0 {
		return nil, fmt.Errorf("%w; start Docker, or run this as root to have a private daemon started", refusal)
	}
	if err := f.install(ctx); err != nil {
		return nil, err
	}
	err := progress.Step(f.Observer, "start a private Docker daemon", func() error { return private.Start(ctx) })
	if err != nil {
		return nil, err
	}
	return private.Engine(), nil
}

// Running returns the engine that Find would return without starting one, or nil if there is none.
func (f Finder) Running(ctx context.Context) (*Engine, error) {
	f = f.withDefaults()
	if host, found := f.Environment("DOCKER_HOST"); found && host != "" {
		engine := At(host, f.Run)
		return engine, engine.Answers(ctx)
	}
	private := &Daemon{Dir: f.Dir, Run: f.Run}
	for _, engine := range []*Engine{private.Engine(), At("", f.Run)} {
		if (engine.Host == "" || private.exists()) && engine.Answers(ctx) == nil {
			return engine, nil
		}
	}
	return nil, ctx.Err()
}

func (f Finder) withDefaults() Finder {
	if f.Run == nil {
		f.Run = process.Exec
	}
	if f.Environment == nil {
		f.Environment = os.LookupEnv
	}
	return f
}

// works returns nil if an engine responds within a minute and runs privileged containers.
func works(ctx context.Context, engine *Engine) error {
	short, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := engine.Answers(short); err != nil {
		return err
	}
	return engine.Privileged(short)
}

// install installs the Docker daemon from Debian's packages if it is missing.
func (f Finder) install(ctx context.Context) error {
	there := func() bool { return installed("dockerd", "docker", "containerd", "runc", "iptables") }
	if there() {
		return nil
	}
	if !installed("apt-get") {
		return errors.New("no Docker engine, and no apt-get to install one with: install Docker")
	}
	return progress.Step(f.Observer, "install Docker from Debian's packages", func() error {
		return hostlock.Install(ctx, f.Run.Program, there, "docker.io", "containerd", "runc", "iptables")
	})
}

func installed(programs ...string) bool {
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			return false
		}
	}
	return true
}
