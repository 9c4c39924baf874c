package validatecmd_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	newer "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/foldertest"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/schemacheck"
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

// judge validates values with both libraries.
type judge struct {
	own  schemacheck.Cache
	helm map[*byte]*newer.Schema
}

func (j *judge) helmSchema(t *testing.T, rules []byte) *newer.Schema {
	t.Helper()
	if known := j.helm[&rules[0]]; known != nil {
		return known
	}
	document, err := newer.UnmarshalJSON(strings.NewReader(string(rules)))
	if err != nil {
		return nil
	}
	compiler := newer.NewCompiler()
	compiler.UseLoader(nil)
	if err := compiler.AddResource("file:///values.schema.json", document); err != nil {
		return nil
	}
	compiled, err := compiler.Compile("file:///values.schema.json")
	if err != nil {
		return nil
	}
	j.helm[&rules[0]] = compiled
	return compiled
}

// verdicts returns "fits", "does not fit" or "no schema" for the library of the checks and for that of Helm.
func (j *judge) verdicts(t *testing.T, one part) (own, helm string) {
	t.Helper()
	own, helm = "no schema", "no schema"
	if compiled, err := j.own.Compile(one.rules); err == nil {
		violations, err := compiled.Violations(one.tree)
		if own = "fits"; err != nil || len(violations) > 0 {
			own = "does not fit"
		}
	}
	if compiled := j.helmSchema(t, one.rules); compiled != nil {
		text, err := json.Marshal(one.tree)
		require.NoError(t, err)
		tree, err := newer.UnmarshalJSON(strings.NewReader(string(text)))
		require.NoError(t, err)
		if helm = "fits"; compiled.Validate(tree) != nil {
			helm = "does not fit"
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
	judge, compared, unfit := &judge{helm: map[*byte]*newer.Schema{}}, 0, 0
	for _, name := range names {
		one := readCase(t, name)
		folder := t.TempDir()
		for _, file := range one.names() {
			foldertest.Write(t, filepath.Join(folder, file), one.get(file))
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
				own, helm := judge.verdicts(t, part)
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
