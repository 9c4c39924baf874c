package install

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Helm runs the helm program against the local cluster, with separate settings below Home.
type Helm struct {
	Path       string // Path is the program.
	Kubeconfig string
	Home       string // Home contains Helm's cache, configuration and data.
}

// Upgrade is one `helm upgrade --install`.
type Upgrade struct {
	Release, Chart, Namespace string
	// ValueFiles and Sets are -f and --set, in this order.
	ValueFiles, Sets []string
	// Args are further flags, such as --atomic.
	Args    []string
	Timeout time.Duration
}

// Upgrade installs or upgrades a release and waits until all its workloads are ready; Helm's output goes to out.
func (h Helm) Upgrade(ctx context.Context, u Upgrade, out io.Writer) error {
	args := []string{"upgrade", "--install", u.Release, u.Chart, "--namespace", u.Namespace, "--create-namespace", "--wait", "--timeout", u.Timeout.String()}
	for _, file := range u.ValueFiles {
		args = append(args, "-f", file)
	}
	for _, set := range u.Sets {
		args = append(args, "--set", set)
	}
	return h.run(ctx, out, append(args, u.Args...)...)
}

// Template renders a chart without the cluster.
func (h Helm) Template(ctx context.Context, u Upgrade) ([]*unstructured.Unstructured, error) {
	args := []string{"template", u.Release, u.Chart, "--namespace", u.Namespace}
	for _, file := range u.ValueFiles {
		args = append(args, "-f", file)
	}
	for _, set := range u.Sets {
		args = append(args, "--set", set)
	}
	var out bytes.Buffer
	if err := h.run(ctx, &out, append(args, u.Args...)...); err != nil {
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(out.String()))
	}
	var objects []*unstructured.Unstructured
	for document := range strings.SplitSeq(out.String(), "\n---\n") {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil {
			return nil, fmt.Errorf("read what helm template renders of %s: %w", u.Chart, err)
		}
		if len(object.Object) > 0 {
			objects = append(objects, object)
		}
	}
	return objects, nil
}

// Uninstall removes a release and waits until its objects are gone. A missing release is not an error: since Helm 3.13 because of the flag
// --ignore-not-found, and in every version by the error message. more are additional flags.
func (h Helm) Uninstall(ctx context.Context, release, namespace string, timeout time.Duration, out io.Writer, more ...string) error {
	var words bytes.Buffer
	args := append([]string{"uninstall", release, "--namespace", namespace, "--wait", "--timeout", timeout.String()}, more...)
	err := h.run(ctx, io.MultiWriter(out, &words), args...)
	if err != nil && strings.Contains(words.String(), "release: not found") {
		return nil
	}
	return err
}

// Test runs all tests of a release, or the named ones, and writes their logs to out.
func (h Helm) Test(ctx context.Context, release, namespace string, timeout time.Duration, out io.Writer, names ...string) error {
	args := []string{"test", release, "--namespace", namespace, "--logs", "--timeout", timeout.String()}
	for _, name := range names {
		args = append(args, "--filter", "name="+name)
	}
	return h.run(ctx, out, args...)
}

// Push packages a chart and pushes it to a registry, oci://<host>/<path>, without TLS.
func (h Helm) Push(ctx context.Context, chart, registry string, out io.Writer) error {
	folder, err := os.MkdirTemp("", "chart")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := h.run(ctx, out, "package", chart, "--destination", folder); err != nil {
		return err
	}
	packages, err := filepath.Glob(filepath.Join(folder, "*.tgz"))
	if err != nil {
		return err
	}
	return h.run(ctx, out, append([]string{"push", "--plain-http"}, append(packages, registry)...)...)
}

func (h Helm) run(ctx context.Context, out io.Writer, args ...string) error {
	command := exec.CommandContext(ctx, h.Path, args...)
	command.Stdout, command.Stderr = out, out
	command.Env = append(os.Environ(),
		"KUBECONFIG="+h.Kubeconfig,
		"HELM_CACHE_HOME="+filepath.Join(h.Home, "cache"),
		"HELM_CONFIG_HOME="+filepath.Join(h.Home, "config"),
		"HELM_DATA_HOME="+filepath.Join(h.Home, "data"),
	)
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	command.WaitDelay = 10 * time.Second
	if err := command.Run(); err != nil {
		return fmt.Errorf("helm %s: %w", strings.Join(args[:2], " "), err)
	}
	return nil
}
