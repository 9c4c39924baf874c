package docker

import (
	"context"
	_ "embed" // the runc wrapper
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"gitops-runtime/tests/e2e/internal/process"
)

//go:embed runc-without-sys-resource
var runcWrapper []byte

// Daemon is a private Docker daemon. All its files are in Dir, so that the machine's Docker daemon and its data are not changed. It outlives the
// command that started it.
type Daemon struct {
	// Dir is the daemon's directory. Names of Unix sockets are at most 107 bytes long, so it may have about 70.
	Dir string
	Run process.Runner
}

// longestDir is the maximum length of Dir, which leaves room for "/exec/containerd/containerd-debug.sock" in a socket's name.
const longestDir = 107 - len("/exec/containerd/containerd-debug.sock")

// Engine returns the daemon's engine, whether it runs or not.
func (d *Daemon) Engine() *Engine { return At("unix://"+d.path("docker.sock"), d.Run) }

func (d *Daemon) path(name string) string { return filepath.Join(d.Dir, name) }

func (d *Daemon) exists() bool {
	_, err := os.Stat(d.path("docker.sock"))
	return err == nil
}

// Start starts the daemon in a separate session and waits until it responds. If the kernel rejects the machine's iptables (nft or legacy), it tries
// again with the legacy one.
func (d *Daemon) Start(ctx context.Context) error {
	if len(d.Dir) > longestDir {
		return fmt.Errorf("the path %s is too long for Docker's sockets: set XDG_CACHE_HOME to a directory with a shorter name",
			d.Dir)
	}
	if err := d.configure(); err != nil {
		return err
	}
	err := d.launch(ctx, os.Getenv("PATH"))
	if err == nil || ctx.Err() != nil {
		return err
	}
	legacy, linkErr := d.legacyIptables()
	if linkErr != nil {
		return err
	}
	if legacyErr := d.launch(ctx, legacy+":"+os.Getenv("PATH")); legacyErr != nil {
		return errors.Join(err, legacyErr)
	}
	return nil
}

// configure writes the daemon's configuration, and the runc wrapper if the machine needs it.
func (d *Daemon) configure() error {
	wrap, err := LacksSysResource()
	if err != nil {
		return err
	}
	config, err := daemonConfig(d.Dir, wrap)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(d.Dir, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(d.path("runc"), runcWrapper, 0o700); err != nil { //nolint:gosec // a program must be executable
		return err
	}
	return os.WriteFile(d.path("daemon.json"), config, 0o600)
}

// daemonConfig returns dockerd's configuration file. It sets the daemon's own namespaces in containerd, too, since dockerd uses a containerd that
// already runs on the machine.
func daemonConfig(dir string, wrapRunc bool) ([]byte, error) {
	config := map[string]any{
		"hosts":                        []string{"unix://" + filepath.Join(dir, "docker.sock")},
		"data-root":                    filepath.Join(dir, "data"),
		"exec-root":                    filepath.Join(dir, "exec"),
		"pidfile":                      filepath.Join(dir, "docker.pid"),
		"containerd-namespace":         "gitops-runtime",
		"containerd-plugins-namespace": "gitops-runtime-plugins",
	}
	if wrapRunc {
		config["runtimes"] = map[string]any{"without-sys-resource": map[string]string{"path": filepath.Join(dir, "runc")}}
		config["default-runtime"] = "without-sys-resource"
	}
	return json.MarshalIndent(config, "", "  ")
}

// launch starts dockerd and waits until it responds or exits.
func (d *Daemon) launch(ctx context.Context, path string) error {
	log, err := os.OpenFile(d.path("docker.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command("dockerd", "--config-file", d.path("daemon.json")) //nolint:noctx // it outlives this command
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), "PATH="+path)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := closeInheritedOnExec(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("the private Docker daemon: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	for {
		select {
		case err := <-ended:
			return errors.Join(fmt.Errorf("the private Docker daemon ended; its log is %s", d.path("docker.log")), err)
		case <-ctx.Done():
			_ = cmd.Process.Signal(syscall.SIGTERM)
			return fmt.Errorf("the private Docker daemon did not answer (%w); its log is %s", ctx.Err(), d.path("docker.log"))
		case <-time.After(200 * time.Millisecond):
			if d.exists() && d.Engine().Answers(ctx) == nil {
				return nil
			}
		}
	}
}

// legacyIptables creates a directory for PATH with the legacy iptables, and returns its path.
func (d *Daemon) legacyIptables() (string, error) {
	bin := d.path("legacy-iptables")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		return "", err
	}
	for _, name := range []string{"iptables", "ip6tables"} {
		program, err := exec.LookPath(name + "-legacy")
		if err != nil {
			return "", err
		}
		link := filepath.Join(bin, name)
		if err := os.Symlink(program, link); err != nil && !errors.Is(err, os.ErrExist) {
			return "", err
		}
	}
	return bin, nil
}
