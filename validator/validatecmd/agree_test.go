//go:build !race

// The race detector learns nothing from these tests: they do one thing after the other.

package validatecmd_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/testkit"
	"gitops-runtime/internal/valueschema"
)

// part is a schema with the values that it describes.
type part struct {
	rules []byte
	tree  any
}

func parts(of *helmchart.Chart, loaded *helmvalues.Values, tree any) []part {
	var list []part
	if len(of.Schema) > 0 {
		list = append(list, part{of.Schema, tree})
	}
	held, _ := tree.(map[string]any)
	for _, dependency := range of.Dependencies {
		if below, exists := held[dependency.Name]; exists && loaded.Enabled(dependency.Condition) {
			list = append(list, parts(dependency.Chart, loaded, below)...)
		}
	}
	return list
}

// verdicts returns "fits", "does not fit" or "no schema" for the library of the checks and for that of Helm.
func verdicts(cache *valueschema.Cache, one part) (own, helm string) {
	own, helm = "no schema", "fits"
	if compiled, err := cache.Compile(one.rules); err == nil {
		violations, err := compiled.Violations(one.tree)
		if own = "fits"; err != nil || len(violations) > 0 {
			own = "does not fit"
		}
	}
	tree, _ := one.tree.(map[string]any)
	if err := chartutil.ValidateAgainstSingleSchema(tree, one.rules); err != nil {
		helm = "does not fit"
		if invalid := (chartutil.JSONSchemaValidationError{}); !errors.As(err, &invalid) {
			helm = "no schema"
		}
	}
	return own, helm
}

// loading returns the values options of a case.
func loading(one *runCase) helmvalues.Options {
	options := helmvalues.Options{In: strings.NewReader(one.get("stdin"))}
	into := map[string]*[]string{
		"-f": &options.Files, "--set": &options.Set, "--set-string": &options.SetString, "--set-json": &options.JSON,
		"--set-file": &options.SetFile, "--set-literal": &options.SetLiteral,
	}
	lines := strings.Split(strings.TrimSpace(one.get("args")), "\n")
	for i := 0; i+1 < len(lines); i++ {
		if list, known := into[lines[i]]; known {
			*list = append(*list, lines[i+1])
		}
	}
	return options
}

// Helm uses a newer version of the schema library; both versions agree on every case, for the charts of this repository and those of the case.
func TestBothLibrariesAgreeOnTheCorpus(t *testing.T) {
	names := caseNames(t)
	require.Greater(t, len(names), 120)
	umbrella, err := helmchart.Load(t.Context(), helmchart.Source{Name: "../../charts/gitops-runtime"})
	require.NoError(t, err)
	cache, seen, compared, unfit := &valueschema.Cache{}, map[string]bool{}, 0, 0
	for _, name := range names {
		one := readCase(t, name)
		folder := t.TempDir()
		for _, file := range one.names() {
			testkit.WriteFile(t, filepath.Join(folder, file), one.get(file))
		}
		charts := []*helmchart.Chart{helmchart.Of(umbrella)}
		if own, err := helmchart.Load(t.Context(), helmchart.Source{Name: filepath.Join(folder, "chart")}); err == nil {
			charts = append(charts, helmchart.Of(own))
		}
		for _, of := range charts {
			options := loading(one)
			for i, file := range options.Files {
				if file != "-" {
					options.Files[i] = filepath.Join(folder, file)
				}
			}
			loaded, err := helmvalues.Load(context.Background(), options)
			if err != nil {
				continue // no values to validate
			}
			loaded.WithDefaults(of)
			for _, part := range parts(of, loaded, loaded.Tree) {
				text, err := json.Marshal(part.tree)
				require.NoError(t, err)
				key := string(part.rules) + string(text)
				if seen[key] {
					continue
				}
				seen[key] = true
				own, helm := verdicts(cache, part)
				compared++
				if own == "does not fit" {
					unfit++
				}
				assert.Equal(t, helm, own, filepath.Base(name))
			}
		}
	}
	t.Logf("%d comparisons, %d of them of values that do not fit", compared, unfit)
}
