package mutate_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/mutate"
)

func TestTexts(t *testing.T) {
	seeds := []string{"a: {b: 1}\n", "", "[1, 2]"}
	first, second := mutate.Texts(seeds, 300), mutate.Texts(seeds, 300)
	require.Len(t, first, 300, "the mutations differ between runs")
	require.Equal(t, second, first, "the mutations differ between runs")
	slices.Sort(first)
	different := len(slices.Compact(first))
	assert.GreaterOrEqual(t, different, 200)
	assert.Equal(t, "a: {b: 1}\n", seeds[0], "a seed has changed")
}
