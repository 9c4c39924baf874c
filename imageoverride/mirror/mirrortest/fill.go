// Package mirrortest fills registries for tests of mirroring.
package mirrortest

import (
	"fmt"
	"testing"

	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/internal/registry/registrytest"
)

// Fill pushes count images for two platforms, which share one layer, and returns the pairs that copy them to another registry. size is the approximate
// size of each layer in bytes.
func Fill(t testing.TB, from, to *registrytest.Registry, count, size int) []mapping.Pair {
	t.Helper()
	var pairs []mapping.Pair
	for i := range count {
		source := fmt.Sprintf("%s/team/app-%02d:v1", from.Name, i)
		registrytest.Push(t, source, registrytest.List(t, fmt.Sprintf("image %d", i), size))
		pairs = append(pairs, mapping.Pair{Source: source, Target: fmt.Sprintf("%s/mirror/team/app-%02d:v1", to.Name, i)})
	}
	return pairs
}
