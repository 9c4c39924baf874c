//go:build !race

// The race detector learns nothing from these tests: they do one thing after the other.

package generate_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/generate"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmvalues"
)

// umbrellaScenarios returns the values files of the umbrella chart and its subcharts: access modes, other ci files and high availability. Values are
// generated from the first ones; the others have to work with the same values.
func umbrellaScenarios(t *testing.T) (first, others []generate.Scenario) {
	t.Helper()
	for _, file := range glob(t, umbrella+"/ci/*-values.yaml") {
		one := scenario(short(file), file)
		if name := strings.TrimSuffix(short(file), "-values"); slices.Contains(modes, name) || name == "everything-on" {
			first = append(first, one)
			continue
		}
		others = append(others, one)
	}
	require.GreaterOrEqual(t, len(first), len(modes))
	for _, file := range glob(t, umbrella+"/values-*.yaml") {
		first = append(first, scenario(short(file), modeFile("tunnel"), file))
	}
	for _, file := range glob(t, charts+"/argo-*/ci/*-values.yaml") {
		part := filepath.Base(filepath.Dir(filepath.Dir(file)))
		others = append(others, generate.Scenario{Name: part + " " + short(file), Values: generate.Values{
			Tree: helmvalues.Merge(readValues(t, modeFile("tunnel")), map[string]any{part: readValues(t, file)}),
		}})
	}
	return first, others
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	return files
}

func readValues(t *testing.T, path string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var tree map[string]any
	require.NoError(t, yaml.Unmarshal(data, &tree))
	return tree
}

// toggles returns the sixteen combinations of Argo projects.
func toggles() map[string]map[string]any {
	projects := []string{"argo-cd", "argo-events", "argo-rollouts", "argo-workflows"}
	sets := map[string]map[string]any{}
	for bits := range 1 << len(projects) {
		set := map[string]any{}
		for i, project := range projects {
			set[project] = map[string]any{"enabled": bits>>i&1 == 1}
		}
		// Image enrichment requires Argo Workflows.
		set["app-proxy"] = map[string]any{"image-enrichment": map[string]any{"enabled": bits>>3&1 == 1}}
		sets[fmt.Sprintf("%04b", bits)] = set
	}
	return sets
}

// helm returns Helm's engine for a chart.
func helm(t *testing.T, chart string) *chartrender.Renderer {
	t.Helper()
	loaded, err := helmchart.Load(context.Background(), helmchart.Source{Name: chart})
	require.NoError(t, err)
	renderer, err := chartrender.NewRenderer(loaded, chartrender.Settings{})
	require.NoError(t, err)
	return renderer
}

// template renders with Helm's engine.
func template(t *testing.T, renderer *chartrender.Renderer, user map[string]any) string {
	t.Helper()
	output, err := renderer.RenderWithHelm(context.Background(), user)
	require.NoError(t, err)
	return joined(output)
}

func joined(output chartrender.Output) string {
	var all strings.Builder
	for _, document := range output.Documents {
		all.WriteString("\n---\n" + document.Text)
	}
	return all.String()
}

// complete fails unless the tool reports a complete result.
func complete(t *testing.T, result generate.Result) {
	t.Helper()
	require.Empty(t, result.Outside)
	require.Empty(t, result.Unreached)
	require.Empty(t, result.Changes)
	require.Empty(t, result.Unread)
	require.NotEmpty(t, result.Mirror)
}

// rare enables features that need more than a single boolean: the exporter of a Redis without Sentinel, an extension of Argo CD, external CRDs, an
// image with a digest.
var rare = map[string]any{
	"argo-cd": map[string]any{
		"redis":  map[string]any{"exporter": map[string]any{"enabled": true}},
		"server": map[string]any{"extensions": map[string]any{"enabled": true, "extensionList": []any{map[string]any{"name": "one", "env": []any{}}}}},
	},
	"argo-workflows": map[string]any{"crds": map[string]any{"upgradeJob": map[string]any{"crdBaseURL": "https://definitions.example.com"}}},
	"installer":      map[string]any{"image": map[string]any{"digest": "sha256:" + strings.Repeat("1", 64)}},
}

// TestUmbrella generates one values file for all scenarios of the umbrella chart, and one with everything enabled. The witness checks every scenario,
// and every access mode with each combination of Argo projects.
func TestUmbrella(t *testing.T) {
	t.Parallel()
	scenarios, others := umbrellaScenarios(t)
	scenarios = append(scenarios, generate.Scenario{Name: "rare", Values: generate.Values{Tree: helmvalues.Merge(readValues(t, modeFile("tunnel")), rare)}})
	result, err := generate.Run(context.Background(), generate.Options{Chart: umbrella, Registry: private, Scenarios: scenarios})
	require.NoError(t, err)
	complete(t, result)
	everything, err := generate.Run(context.Background(), generate.Options{
		Chart: umbrella, Registry: private, Everything: true, Scenarios: []generate.Scenario{scenario("tunnel", modeFile("tunnel"))},
	})
	require.NoError(t, err)
	complete(t, everything)
	t.Run("every line that can emit an image", func(t *testing.T) { lines(t, result.Unseen, everything.Unseen) })

	engine, known := helm(t, umbrella), repositories(t)
	look := func(name string, made generate.Result, user map[string]any, render func(map[string]any) string) {
		said := testify(t, render(user), render(helmvalues.Merge(user, made.Values)), made.Mirror, known)
		require.Empty(t, said.wrong, name)
		require.GreaterOrEqual(t, said.seen, 4, "%s: too few images; expected the router, the app-proxy with its init container, and the hook", name)
	}
	byHelm := func(user map[string]any) string { return template(t, engine, user) }
	for name, set := range result.Rendered {
		look(name, result, set, byHelm)
	}
	for name, set := range everything.Rendered {
		look(name, everything, set, byHelm)
	}
	// The tool's engine renders the same faster, which matters for this number of renders.
	quickly := func(user map[string]any) string {
		output, err := engine.Render(context.Background(), user)
		require.NoError(t, err)
		return joined(output)
	}
	for _, one := range others {
		user := one.Values.Tree
		for _, file := range one.Values.Files {
			user = helmvalues.Merge(user, readValues(t, file))
		}
		look(one.Name, result, user, quickly)
	}
	for _, mode := range modes {
		for name, set := range toggles() {
			look(mode+" "+name, result, helmvalues.Merge(readValues(t, modeFile(mode)), set), quickly)
		}
	}
}

// lines compares the template lines about images that no run rendered with the list of lines that emit no image.
func lines(t *testing.T, runs ...[]string) {
	t.Helper()
	count := map[string]int{}
	for _, unseen := range runs {
		for _, site := range unseen {
			count[site]++
		}
	}
	var left []string
	for site, missed := range count {
		if missed < len(runs) {
			continue
		}
		name, number, _ := strings.Cut(site, ":")
		at, err := strconv.Atoi(number)
		require.NoError(t, err)
		left = append(left, name+"\t"+lineOf(t, name, at))
	}
	data, err := os.ReadFile("testdata/unrendered-lines.tsv")
	require.NoError(t, err)
	var listed []string
	for _, row := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		columns := strings.Split(row, "\t")
		require.Len(t, columns, 3, row)
		require.NotEmpty(t, columns[2], "%s has no reason", columns[0])
		listed = append(listed, columns[0]+"\t"+columns[1])
	}
	require.ElementsMatch(t, listed, left, "testdata/unrendered-lines.tsv does not match the lines that were not rendered")
}

// lineOf returns a line of the template with this name in a release.
func lineOf(t *testing.T, name string, at int) string {
	t.Helper()
	parts := strings.Split(name, "/charts/")
	data, err := os.ReadFile(filepath.Join(charts, parts[len(parts)-1]))
	require.NoError(t, err)
	return strings.TrimSpace(strings.Split(string(data), "\n")[at-1])
}

// TestParts proves the subcharts that can be installed separately, with all their ci files and with everything enabled.
func TestParts(t *testing.T) {
	t.Parallel()
	for _, chart := range glob(t, charts+"/*/Chart.yaml") {
		chart = filepath.Dir(chart)
		files := glob(t, chart+"/ci/*-values.yaml")
		if chart == umbrella || len(files) == 0 {
			continue
		}
		t.Run(filepath.Base(chart), func(t *testing.T) {
			var scenarios []generate.Scenario
			for _, file := range files {
				scenarios = append(scenarios, scenario(short(file), file))
			}
			result, err := generate.Run(context.Background(), generate.Options{Chart: chart, Registry: private, Everything: true, Scenarios: scenarios})
			require.NoError(t, err)
			complete(t, result)
			engine, known := helm(t, chart), repositories(t)
			seen := 0
			for name, set := range result.Rendered {
				said := testify(t, template(t, engine, set), template(t, engine, helmvalues.Merge(set, result.Values)), result.Mirror, known)
				require.Empty(t, said.wrong, name)
				seen += said.seen
			}
			require.NotZero(t, seen)
		})
	}
}

// TestStrategies proves the umbrella chart with the other strategies.
func TestStrategies(t *testing.T) {
	t.Parallel()
	engine, known := helm(t, umbrella), repositories(t)
	user := readValues(t, modeFile("tunnel"))
	before := template(t, engine, user)
	for _, strategy := range []mapping.Strategy{mapping.KeepPath, mapping.Flat} {
		result, err := generate.Run(context.Background(), generate.Options{
			Chart: umbrella, Registry: private, Strategy: strategy, Values: generate.Values{Tree: user},
		})
		require.NoError(t, err)
		complete(t, result)
		for _, file := range []string{generate.NoTagsFile, generate.WithTagsFile} {
			var overrides map[string]any
			require.NoError(t, yaml.Unmarshal(result.Files[file], &overrides))
			said := testify(t, before, template(t, engine, helmvalues.Merge(user, overrides)), result.Mirror, known)
			require.Empty(t, said.wrong, "%s %s", strategy, file)
		}
	}
}

// TestUmbrellaDigests: every image of the umbrella chart can have a digest.
func TestUmbrellaDigests(t *testing.T) {
	t.Parallel()
	options := generate.Options{Chart: umbrella, Registry: private, Values: generate.Values{Files: []string{modeFile("tunnel")}}}
	plain, err := generate.Run(context.Background(), options)
	require.NoError(t, err)
	options.Digests = digestsOf(plain.Mirror)
	pinned, err := generate.Run(context.Background(), options)
	require.NoError(t, err)
	require.Empty(t, pinned.Unpinned)
	var overrides map[string]any
	require.NoError(t, yaml.Unmarshal(pinned.Files[generate.DigestsFile], &overrides))
	text := template(t, helm(t, umbrella), helmvalues.Merge(readValues(t, modeFile("tunnel")), overrides))
	for _, pair := range pinned.Mirror {
		require.Contains(t, text, "@"+options.Digests[pair.Source], pair.Source)
	}
	known := repositories(t)
	for path, text := range scalars(t, text) {
		for _, image := range images(path, text, known) {
			require.Contains(t, image, "@sha256:", path)
		}
	}
}

func TestUmbrellaIsReproducible(t *testing.T) {
	t.Parallel()
	options := generate.Options{Chart: umbrella, Registry: private, Values: generate.Values{Files: []string{modeFile("ingress")}}}
	first, err := generate.Run(context.Background(), options)
	require.NoError(t, err)
	for range 2 {
		again, err := generate.Run(context.Background(), options)
		require.NoError(t, err)
		require.Equal(t, first.Files, again.Files)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := generate.Run(ctx, generate.Options{Chart: umbrella, Registry: private})
	require.ErrorIs(t, err, context.Canceled)
}

// TestEveryImageHasItsLine: every image has a template line for `why`.
func TestEveryImageHasItsLine(t *testing.T) {
	t.Parallel()
	rows, err := generate.Rows(context.Background(), generate.Options{Chart: umbrella, Registry: private, Values: generate.Values{Files: []string{modeFile("tunnel")}}})
	require.NoError(t, err)
	require.NotEmpty(t, rows)
	for _, row := range rows {
		require.NotEmpty(t, row.Lines, "%s at %s %s", row.Image, row.Object, row.Path)
		file := row.Template
		if row.Partial != "" {
			file = row.Partial
		}
		for _, at := range row.Lines {
			require.NotEmpty(t, lineOf(t, file, at))
		}
	}
}
