package golden_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/golden"
	"gitops-runtime/tests/manifests"
)

var update = flag.Bool("update", false, "write the golden files from what the chart renders now")

// chart returns the umbrella chart of this checkout, whose releases tests share, and the checkout's root.
func chart(t testing.TB) (golden.Chart, string) {
	t.Helper()
	root, err := gomodule.Root()
	require.NoError(t, err)
	chart, err := loaded()
	require.NoError(t, err)
	return chart, root
}

var loaded = sync.OnceValues(func() (golden.Chart, error) {
	root, err := gomodule.Root()
	if err != nil {
		return golden.Chart{}, err
	}
	return golden.Load(context.Background(), root)
})

// validator returns a validator that tests share.
func validator(t *testing.T) *manifests.Validator {
	t.Helper()
	shared, err := newValidator()
	require.NoError(t, err)
	return shared
}

var newValidator = sync.OnceValues(func() (*manifests.Validator, error) {
	root, err := gomodule.Root()
	if err != nil {
		return nil, err
	}
	return manifests.NewValidator(context.Background(), root)
})

// Each case renders its golden file; go test ./tests/golden -update writes the files for review.
func TestCasesAreTheirFiles(t *testing.T) {
	t.Parallel()
	loaded, _ := chart(t)
	base, err := loaded.Documents(golden.Kept()[0])
	require.NoError(t, err)
	for _, of := range golden.Kept() {
		t.Run(of.Name, func(t *testing.T) {
			t.Parallel()
			text := golden.Text(base)
			if of.Name != golden.Base {
				documents, err := loaded.Documents(of)
				require.NoError(t, err)
				text = golden.Difference(base, documents)
			}
			file := filepath.Join("testdata", of.Name+".yaml")
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			if string(want) != text {
				assert.Fail(t, "the rendered objects differ from the golden file", "%s: run go test ./tests/golden -update and review the difference:\n%s", file, firstDifference(string(want), text))
			}
		})
	}
}

// Every object of every case is valid by the schemas of Kubernetes and of the charts' CRDs.
func TestEveryObjectFitsItsSchema(t *testing.T) {
	t.Parallel()
	loaded, _ := chart(t)
	validator := validator(t)
	for _, of := range golden.Cases() {
		t.Run(of.Name, func(t *testing.T) {
			t.Parallel()
			documents, err := loaded.Documents(of)
			require.NoError(t, err)
			assert.Empty(t, validator.Validate(golden.Text(documents)))
		})
	}
}

// Several renders of each case are identical: nothing depends on random values, the time, or the order of a map.
func TestRendersAreIdentical(t *testing.T) {
	t.Parallel()
	loaded, _ := chart(t)
	const each = 3
	for _, of := range golden.Kept() { // which use every template
		t.Run(of.Name, func(t *testing.T) {
			t.Parallel()
			render, err := loaded.Templates(of)
			require.NoError(t, err)
			first, err := render()
			require.NoError(t, err)
			for range each - 1 {
				again, err := render()
				require.NoError(t, err)
				require.Len(t, again, len(first))
				for file, text := range first {
					require.True(t, text == again[file], "%s: %s", file, firstDifference(text, again[file]))
				}
			}
		})
	}
}

// Rendering a release again returns the same manifest, hooks and notes.
func TestSecondReleaseIsIdentical(t *testing.T) {
	t.Parallel()
	loaded, _ := chart(t)
	for _, of := range golden.Kept() {
		t.Run(of.Name, func(t *testing.T) {
			t.Parallel()
			first, err := loaded.Release(of)
			require.NoError(t, err)
			again, err := loaded.Render(of)
			require.NoError(t, err)
			require.True(t, first.Manifest == again.Manifest, firstDifference(first.Manifest, again.Manifest))
			require.Equal(t, first.Hooks, again.Hooks)
			require.Equal(t, first.Info.Notes, again.Info.Notes)
		})
	}
}

func everythingOn() golden.Case {
	cases := golden.Cases()
	return cases[slices.IndexFunc(cases, func(of golden.Case) bool { return of.Name == "everything-on" })]
}
