package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gitops-runtime/tests/cluster/progress"
)

// Forget removes from the node the images that stand for something else than they should: digests has the digest of each
// reference as the registry has it now. The node pulls a tag once, and would run yesterday's build of it for ever.
// Containers that run such an image keep it.
func (c *Cluster) Forget(ctx context.Context, digests map[string]string) error {
	listed, err := c.inNode(ctx, "ctr", "--namespace=k8s.io", "images", "list")
	if err != nil {
		return fmt.Errorf("list the images of the node: %w", err)
	}
	stale := outdated(listed, digests)
	if len(stale) == 0 {
		return nil
	}
	return progress.Step(c.Observer, fmt.Sprintf("forget %d outdated images in the node", len(stale)), func() error {
		_, err := c.inNode(ctx, append([]string{"ctr", "--namespace=k8s.io", "images", "remove"}, stale...)...)
		return err
	})
}

// outdated are the references in ctr's list (columns REF TYPE DIGEST ...) whose digest is not what it should be.
func outdated(listed string, digests map[string]string) []string {
	var stale []string
	for line := range strings.Lines(listed) {
		columns := strings.Fields(line)
		if len(columns) < 3 {
			continue
		}
		if digest, known := digests[columns[0]]; known && !slices.Contains(columns[1:], digest) {
			stale = append(stale, columns[0])
		}
	}
	return stale
}
