package mutate_test

import (
	"slices"
	"testing"

	"gitops-runtime/internal/mutate"
)

func TestTexts(t *testing.T) {
	seeds := []string{"a: {b: 1}\n", "", "[1, 2]"}
	first, second := mutate.Texts(seeds, 300), mutate.Texts(seeds, 300)
	if len(first) != 300 || !slices.Equal(first, second) {
		t.Fatal("the mutations are the same ones on every run")
	}
	slices.Sort(first)
	if different := len(slices.Compact(first)); different < 200 {
		t.Errorf("%d different texts", different)
	}
	if seeds[0] != "a: {b: 1}\n" {
		t.Error("the seeds stay as they are")
	}
}
