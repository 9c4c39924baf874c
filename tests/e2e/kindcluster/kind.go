package kindcluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gitops-runtime/tests/e2e/imageregistry"
	"gitops-runtime/tests/e2e/internal/process"
)

// kind runs the kind program on the cluster's engine.
func (c *Cluster) kind(ctx context.Context, stdin string, args ...string) error {
	_, err := c.Run(ctx, process.Command{
		Name:  c.Kind,
		Args:  append(args, "--name", c.name(), "--kubeconfig", c.Kubeconfig),
		Env:   append(c.Engine.Env(), "KIND_EXPERIMENTAL_PROVIDER=docker"),
		Stdin: strings.NewReader(stdin),
	})
	return err
}

// kindCreate creates the cluster. If that fails, it saves the node's journal, since the node is deleted soon.
func (c *Cluster) kindCreate(ctx context.Context, image string) error {
	if err := os.MkdirAll(filepath.Dir(c.Kubeconfig), 0o755); err != nil {
		return err
	}
	if err := patchControlPlane(c.patches()); err != nil {
		return err
	}
	args := []string{"create", "cluster", "--config", "-", "--wait", readyWithin.String(), "--retain"}
	err := c.kind(ctx, config(c.name(), c.Ports, image, c.patches()), args...)
	if err == nil || ctx.Err() != nil {
		return err
	}
	journal, journalErr := c.inNode(ctx, "journalctl", "--no-pager")
	if journalErr != nil {
		return err // no node exists
	}
	log := filepath.Join(c.Cache, "failed-node.log")
	if writeErr := os.WriteFile(log, []byte(journal), 0o600); writeErr != nil {
		return errors.Join(err, writeErr)
	}
	return fmt.Errorf("%w\n\tthe node's journal is in %s", err, log)
}

// kindDelete deletes the cluster and returns when its node is gone: an engine that was interrupted while it created the node may complete it later.
func (c *Cluster) kindDelete(ctx context.Context) error {
	if err := c.kind(ctx, "", "delete", "cluster"); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		status, err := c.status(ctx)
		if err != nil || status == "" {
			return err
		}
		refusal := c.Engine.Remove(ctx, c.container())
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("the container %s cannot be removed, it is %s", c.container(), status), refusal)
		case <-time.After(500 * time.Millisecond):
		}
	}
}

func (c *Cluster) exportKubeconfig(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(c.Kubeconfig), 0o755); err != nil {
		return err
	}
	return c.kind(ctx, "", "export", "kubeconfig")
}

// inNode runs a program in the node.
func (c *Cluster) inNode(ctx context.Context, args ...string) (string, error) {
	return c.Engine.Run(ctx, append([]string{"exec", c.container()}, args...)...)
}

// kubectl runs the node's kubectl as administrator, so that this machine needs none.
func (c *Cluster) kubectl(ctx context.Context, args ...string) (string, error) {
	return c.inNode(ctx, append([]string{"kubectl", "--kubeconfig=/etc/kubernetes/admin.conf"}, args...)...)
}

// connectRegistry configures the registry in the node's containerd, which reads the file at each pull.
func (c *Cluster) connectRegistry(ctx context.Context) error {
	return c.writeInNode(ctx, hostsDir+"/hosts.toml", hosts(imageregistry.InCluster))
}

// mark records in the node that the cluster is complete.
func (c *Cluster) mark(ctx context.Context, fingerprint string) error {
	return c.writeInNode(ctx, marker, fingerprint)
}

func (c *Cluster) writeInNode(ctx context.Context, path, text string) error {
	_, err := c.Engine.RunWith(ctx, strings.NewReader(text), "exec", "--interactive", c.container(),
		"sh", "-c", `mkdir -p "$(dirname "$1")" && cat >"$1"`, "sh", path)
	return err
}

// waitForServices returns when the cluster's DNS and storage work.
func (c *Cluster) waitForServices(ctx context.Context) error {
	for _, deployment := range [][2]string{{"kube-system", "coredns"}, {"local-path-storage", "local-path-provisioner"}} {
		_, err := c.kubectl(ctx, "--namespace", deployment[0], "rollout", "status", "deployment/"+deployment[1], "--timeout=3m")
		if err != nil {
			return err
		}
	}
	return nil
}

// freePorts returns an error that names the first port on which another program listens.
func freePorts(ctx context.Context, ports []Port) error {
	var listen net.ListenConfig
	for _, port := range ports {
		address := fmt.Sprintf("127.0.0.1:%d", port.Host)
		listener, err := listen.Listen(ctx, "tcp", address)
		if err != nil {
			return fmt.Errorf("the cluster needs %s, which another program uses (%w): stop that program", address, err)
		}
		if err := listener.Close(); err != nil {
			return err
		}
	}
	return nil
}
