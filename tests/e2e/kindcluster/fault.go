package kindcluster

import (
	"context"
	"fmt"
)

// Freeze stops the processes with a name in the node; their clients wait. Thaw resumes them.
func (c *Cluster) Freeze(ctx context.Context, process string) error {
	return c.signal(ctx, "STOP", process)
}

// Thaw resumes frozen processes.
func (c *Cluster) Thaw(ctx context.Context, process string) error {
	return c.signal(ctx, "CONT", process)
}

func (c *Cluster) signal(ctx context.Context, signal, process string) error {
	if _, err := c.inNode(ctx, "pkill", "--signal", signal, "--exact", process); err != nil {
		return fmt.Errorf("send the signal %s to %s in the node: %w", signal, process, err)
	}
	return nil
}

// Restart restarts the node, and with it every pod; it returns when the node runs, which is before Kubernetes responds.
func (c *Cluster) Restart(ctx context.Context) error {
	if _, err := c.Engine.Run(ctx, "restart", c.container()); err != nil {
		return fmt.Errorf("restart the node: %w", err)
	}
	return nil
}
