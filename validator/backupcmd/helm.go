package backupcmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/validator/backup"
)

// helm installs charts with the program helm, since its library would need 90 more modules (docs/decisions/modules.md).
type helm struct{ options }

// Install installs the chart with the values of the archive, which are passed by standard input: they are in no file and no argument.
func (h helm) Install(ctx context.Context, of *backup.Archive) error {
	values, err := json.Marshal(of.Values) // JSON is YAML
	if err != nil {
		return fmt.Errorf("the values of the backup: %w", err)
	}
	return h.run(ctx, values, "upgrade", "--install", of.Release, h.Chart, "--version", of.Version, "--namespace", of.Namespace, "--wait", "--timeout", "15m", "--values", "-")
}

// Abandon removes an install that was interrupted.
func (h helm) Abandon(ctx context.Context, of *backup.Archive) error {
	return h.run(ctx, nil, "uninstall", of.Release, "--namespace", of.Namespace, "--no-hooks", "--wait")
}

func (h helm) run(ctx context.Context, in []byte, args ...string) error {
	if h.Connection.Kubeconfig != "" {
		args = append(args, "--kubeconfig", h.Connection.Kubeconfig)
	}
	if h.Connection.Context != "" {
		args = append(args, "--kube-context", h.Connection.Context)
	}
	var failed bytes.Buffer
	command := exec.CommandContext(ctx, h.helm, args...)
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(in), io.Discard, &failed
	runtime.LockOSThread() // the signal is sent at the end of the thread that starts the program
	defer runtime.UnlockOSThread()
	endTogether(command)
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", h.helm, strings.Join(args[:2], " "), err, cleantext.Line(cleantext.Cut(strings.TrimSpace(failed.String()), 2000)))
	}
	return nil
}
