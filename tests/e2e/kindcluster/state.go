package kindcluster

import (
	"context"
	"strings"
	"time"
)

// marker is the file in the node that records how the cluster was created. It is written last, so a cluster without it is
// incomplete.
const marker = "/kind/gitops-runtime-fingerprint"

// state is the state of an existing cluster.
type state struct {
	exists, running, healthy bool
	fingerprint              string
}

// unfit returns the reason why the cluster cannot be reused, empty if it can.
func (s state) unfit(wanted string) string {
	switch {
	case !s.exists:
		return "is not there"
	case !s.running:
		return "does not run"
	case s.fingerprint == "":
		return "was never finished"
	case s.fingerprint != wanted:
		return "was made differently"
	case !s.healthy:
		return "does not answer"
	}
	return ""
}

// inspect returns the state of the cluster.
func (c *Cluster) inspect(ctx context.Context) (state, error) {
	status, err := c.status(ctx)
	if err != nil {
		return state{}, err
	}
	found := state{exists: status != "", running: status == "running"}
	if !found.running {
		return found, nil
	}
	if text, err := c.inNode(ctx, "cat", marker); err == nil {
		found.fingerprint = strings.TrimSpace(text)
	}
	found.healthy = found.fingerprint != "" && c.ready(ctx)
	return found, ctx.Err()
}

// status returns the engine's status of the node's container, such as "running", or empty if there is none.
func (c *Cluster) status(ctx context.Context) (string, error) {
	return c.Engine.Run(ctx, "ps", "--all", "--filter", "name=^"+c.container()+"$", "--format", "{{.State}}")
}

// ready reports whether the API server is ready, which may take some time on a busy machine.
func (c *Cluster) ready(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	for {
		if _, err := c.kubectl(ctx, "get", "--raw", "/readyz", "--request-timeout=10s"); err == nil {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(time.Second):
		}
	}
}
