package kindcluster

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"gitops-runtime/tests/e2e/internal/progress"
)

// Forget removes from the node the images whose digest differs from the registry's: digests has the digest of each reference in the registry. The node
// pulls a tag only once, and would use an outdated build of it forever. Containers that run such an image keep it.
func (c *Cluster) Forget(ctx context.Context, digests map[string]string) error {
	listed, err := c.listImages(ctx)
	if err != nil {
		return err
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

// ForgetRegistry removes all images of a registry from the node, regardless of their names, so that the next container pulls its image again.
// Containers that run one keep it.
func (c *Cluster) ForgetRegistry(ctx context.Context, host string) error {
	listed, err := c.listImages(ctx)
	if err != nil {
		return err
	}
	gone := from(listed, host)
	if len(gone) == 0 {
		return nil
	}
	return progress.Step(c.Observer, fmt.Sprintf("forget %d names of images of %s in the node", len(gone), host), func() error {
		_, err := c.inNode(ctx, append([]string{"ctr", "--namespace=k8s.io", "images", "remove", "--sync"}, gone...)...)
		return err
	})
}

// listImages returns ctr's list of the images of the node.
func (c *Cluster) listImages(ctx context.Context) (string, error) {
	listed, err := c.inNode(ctx, "ctr", "--namespace=k8s.io", "images", "list")
	if err != nil {
		return "", fmt.Errorf("list the images of the node: %w", err)
	}
	return listed, nil
}

// from returns the references in ctr's list that belong to the images of a registry, including the second one that Kubernetes adds for each, which is
// only the digest.
func from(listed, host string) []string {
	digests := map[string]bool{}
	for reference, digest := range references(listed) {
		if strings.HasPrefix(reference, host+"/") {
			digests[digest] = true
		}
	}
	var found []string
	for reference, digest := range references(listed) {
		if digests[digest] {
			found = append(found, reference)
		}
	}
	return found
}

// references returns the references in ctr's list, each with its digest.
func references(listed string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for line := range strings.Lines(listed) {
			columns := strings.Fields(line)
			if len(columns) > 2 && strings.Contains(columns[2], ":") && !yield(columns[0], columns[2]) {
				return
			}
		}
	}
}

// outdated returns the references in ctr's list (columns REF TYPE DIGEST ...) whose digest is not the expected one.
func outdated(listed string, digests map[string]string) []string {
	var stale []string
	for reference, current := range references(listed) {
		if digest, known := digests[reference]; known && digest != current {
			stale = append(stale, reference)
		}
	}
	return stale
}
