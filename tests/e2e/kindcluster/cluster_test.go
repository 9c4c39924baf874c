package kindcluster

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/testkit"
	"gitops-runtime/tests/e2e/docker"
	"gitops-runtime/tests/e2e/imageregistry"
	"gitops-runtime/tests/e2e/internal/process"
)

// machine fakes an engine with at most one node and the kind program.
type machine struct {
	status  string            // of the node's container; empty if there is none
	files   map[string]string // in the node
	refuses int               // number of times that kind fails to create the cluster
	calls   []string          // of kind
	configs []string          // that kind was given
}

func (m *machine) run(_ context.Context, c process.Command) (string, error) {
	if c.Name == "kind" {
		return "", m.kind(c)
	}
	switch c.Args[0] {
	case "ps":
		return m.status, nil
	case "exec":
		return m.exec(c)
	}
	return "", nil
}

func (m *machine) kind(c process.Command) error {
	m.calls = append(m.calls, strings.Join(c.Args[:2], " "))
	switch c.Args[0] {
	case "create":
		text, err := io.ReadAll(c.Stdin)
		if err != nil {
			return err
		}
		m.configs = append(m.configs, string(text))
		m.status, m.files = "running", map[string]string{}
		if m.refuses > 0 {
			m.refuses--
			return errors.New("kubeadm took too long")
		}
	case "delete":
		m.status, m.files = "", nil
	}
	return nil
}

func (m *machine) exec(c process.Command) (string, error) {
	last := c.Args[len(c.Args)-1]
	switch {
	case c.Args[1] == "--interactive":
		text, err := io.ReadAll(c.Stdin)
		m.files[last] = string(text)
		return "", err
	case c.Args[2] == "journalctl":
		return "containerd said", nil
	case c.Args[2] == "cat":
		if text, found := m.files[last]; found {
			return text, nil
		}
		return "", errors.New("no such file")
	}
	return "", nil
}

// ports is empty, so that the tests do not depend on other programs on this machine.
var ports = []Port{}

// on returns the cluster of a machine.
func on(t *testing.T, m *machine) *Cluster {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "cache"), 0o700))
	return &Cluster{
		Cache: filepath.Join(dir, "cache"), Kubeconfig: filepath.Join(dir, "made", "kubeconfig"), Kind: "kind", Run: m.run,
		Engine: docker.At("", m.run), Ports: ports,
	}
}

func TestEnsure(t *testing.T) {
	finished := map[string]string{marker: fingerprint(Name, ports, "node:1")}
	for name, test := range map[string]struct {
		machine machine
		calls   []string
		err     string
	}{
		"nothing there": {machine{}, []string{"create cluster"}, ""},
		"healthy":       {machine{status: "running", files: finished}, []string{"export kubeconfig"}, ""},
		"stopped":       {machine{status: "exited"}, []string{"delete cluster", "create cluster"}, ""},
		"interrupted":   {machine{status: "running"}, []string{"delete cluster", "create cluster"}, ""},
		"of another node image": {
			machine{status: "running", files: map[string]string{marker: fingerprint(Name, ports, "node:0")}},
			[]string{"delete cluster", "create cluster"}, "",
		},
		"busy once":   {machine{refuses: 1}, []string{"create cluster", "delete cluster", "create cluster"}, ""},
		"never works": {machine{refuses: 2}, []string{"create cluster", "delete cluster", "create cluster"}, "kubeadm took too long"},
	} {
		t.Run(name, func(t *testing.T) {
			m := test.machine
			c := on(t, &m)
			err := c.ensure(context.Background(), "node:1")
			assert.Equal(t, test.calls, m.calls)
			if test.err != "" {
				log := filepath.Join(c.Cache, "failed-node.log")
				assert.EqualError(t, err, test.err+"\n\tthe node's journal is in "+log)
				journal, err := os.ReadFile(log)
				require.NoError(t, err)
				assert.Equal(t, "containerd said", string(journal))
				return
			}
			require.NoError(t, err)
			for _, given := range m.configs {
				assert.Equal(t, config(Name, ports, "node:1", c.patches()), given)
			}
			assert.DirExists(t, filepath.Dir(c.Kubeconfig))
			assert.Equal(t, map[string]string{
				marker: fingerprint(Name, ports, "node:1"),
				"/etc/containerd/certs.d/gitops-runtime-registry:5000/hosts.toml": hosts(imageregistry.InCluster),
			}, m.files)
		})
	}
}

func TestEnsureStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	m := &machine{refuses: 2}
	c := on(t, m)
	c.Run = func(ctx context.Context, command process.Command) (string, error) {
		cancel()
		return m.run(ctx, command)
	}
	assert.EqualError(t, c.ensure(ctx, "node:1"), "kubeadm took too long")
	assert.Equal(t, []string{"create cluster"}, m.calls, "no second try")
}

func TestClean(t *testing.T) {
	m := &machine{status: "running"}
	c := on(t, m)
	image := filepath.Join(c.Cache, "registry", "blobs", "layer")
	kept := filepath.Join(c.Cache, "node", "node.tar")
	for _, file := range []string{image, kept} {
		testkit.WriteFile(t, file, "")
	}
	t.Setenv("DOCKER_HOST", "tcp://engine:1")
	require.NoError(t, c.Clean(context.Background()))
	assert.Equal(t, []string{"delete cluster"}, m.calls)
	assert.NoDirExists(t, filepath.Join(c.Cache, "registry"))
	assert.FileExists(t, kept)
}

func TestStopWithoutAnEngineHasNothingToDo(t *testing.T) {
	m := &machine{}
	c := on(t, m)
	c.Run = func(context.Context, process.Command) (string, error) { return "", errors.New("down") }
	t.Setenv("DOCKER_HOST", "")
	require.NoError(t, c.Stop(context.Background()))
	assert.Empty(t, m.calls)
}
