package testkit_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/testkit"
)

func TestMutate(t *testing.T) {
	seeds := []string{"a: {b: 1}\n", "", "[1, 2]"}
	first, second := testkit.Mutate(seeds, 300), testkit.Mutate(seeds, 300)
	require.Len(t, first, 300, "the mutations differ between runs")
	require.Equal(t, second, first, "the mutations differ between runs")
	slices.Sort(first)
	different := len(slices.Compact(first))
	assert.GreaterOrEqual(t, different, 200)
	assert.Equal(t, "a: {b: 1}\n", seeds[0], "a seed has changed")
}
