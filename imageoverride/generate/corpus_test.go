//go:build !race

// The race detector learns nothing from these tests: they do one thing after the other.

package generate_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"sigs.k8s.io/yaml"

	"gitops-runtime/imageoverride/generate"
	"gitops-runtime/internal/testkit"
)

// corpusChart is a chart of the corpus on disk, with the expected result.
type corpusChart struct {
	style, name, path string
	everything        bool
	unreachable       []string // images that no value reaches
	incomplete        bool     // another reason prevents a proof
	accept            []string
}

// corpus unpacks the charts of ../testdata/corpus, which has one file per style. It adds a Chart.yaml if it is missing.
func corpus(t testing.TB) []corpusChart {
	t.Helper()
	files, err := filepath.Glob("../testdata/corpus/*.txtar")
	require.NoError(t, err)
	var all []corpusChart
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		style, folder := strings.TrimSuffix(filepath.Base(file), ".txtar"), t.TempDir()
		charts := map[string]*corpusChart{}
		var order []string
		for _, entry := range archive.Files {
			name, below, _ := strings.Cut(entry.Name, "/")
			one := charts[name]
			if one == nil {
				one = &corpusChart{style: style, name: name, path: filepath.Join(folder, name)}
				charts[name], order = one, append(order, name)
				testkit.WriteFile(t, filepath.Join(one.path, "Chart.yaml"), "apiVersion: v2\nname: "+name+"\nversion: 0.1.0\n")
			}
			lines := strings.Split(strings.TrimSpace(string(entry.Data)), "\n")
			switch below {
			case "everything":
				one.everything = true
			case "unreachable":
				one.unreachable = lines
			case "incomplete":
				one.incomplete = true
			case "accept":
				one.accept = lines
			default:
				testkit.WriteFile(t, filepath.Join(one.path, below), string(entry.Data))
			}
		}
		for _, name := range order {
			all = append(all, *charts[name])
		}
	}
	return all
}

// tally has the results of the corpus.
type tally struct{ images, reachable, redirected, silent, false int }

// TestCorpus: in all charts, no image is missed silently, no proof is wrong, and images that values set are redirected.
func TestCorpus(t *testing.T) {
	charts := corpus(t)
	require.GreaterOrEqual(t, len(charts), 60)
	var total tally
	for _, one := range charts {
		t.Run(one.style+"/"+one.name, func(t *testing.T) { one.examine(t, &total) })
	}
	t.Logf("%d charts, %d images, %d reachable, %d redirected, %d silent misses, %d false proofs",
		len(charts), total.images, total.reachable, total.redirected, total.silent, total.false)
	require.Zero(t, total.silent, "silent misses")
	require.Zero(t, total.false, "false proofs")
	require.GreaterOrEqual(t, float64(total.redirected), 0.995*float64(total.reachable), "redirected")
}

// BenchmarkCorpus measures each chart of the corpus: the CPU time of the median and of the 95th percentile.
func BenchmarkCorpus(b *testing.B) {
	charts := corpus(b)
	var seconds []float64
	for b.Loop() {
		for _, one := range charts {
			begun := testkit.CPUTime(b)
			_, err := generate.Run(context.Background(), one.options(b))
			require.NoError(b, err)
			seconds = append(seconds, (testkit.CPUTime(b) - begun).Seconds())
		}
	}
	sort.Float64s(seconds)
	b.ReportMetric(seconds[len(seconds)/2], "median-cpu-s")
	b.ReportMetric(seconds[len(seconds)*95/100], "p95-cpu-s")
	b.ReportMetric(float64(len(charts)), "charts")
}

// options returns the options of a run, with the values files of the chart as scenarios.
func (c corpusChart) options(t testing.TB) generate.Options {
	t.Helper()
	options := generate.Options{Chart: c.path, Registry: private, Everything: c.everything, Accept: c.accept}
	ci, err := filepath.Glob(c.path + "/ci/*.yaml")
	require.NoError(t, err)
	if len(ci) > 0 {
		options.Scenarios = append(options.Scenarios, generate.Scenario{Name: "default"})
		for _, file := range ci {
			options.Scenarios = append(options.Scenarios, scenario(short(file), file))
		}
	}
	return options
}

func (c corpusChart) examine(t *testing.T, total *tally) {
	result, err := generate.Run(context.Background(), c.options(t))
	require.NoError(t, err)
	listed := map[string]bool{}
	for _, left := range result.Outside {
		listed[left.Image] = true
	}
	for _, doubt := range append(append([]generate.Doubt{}, result.Unread...), result.Suspected...) {
		listed[doubt.Text] = true
	}
	for _, change := range result.Changes {
		listed[change.Before] = true
	}
	wrong := false
	for name, user := range result.Rendered {
		for _, file := range []string{generate.NoTagsFile, generate.WithTagsFile} {
			var over map[string]any
			require.NoError(t, yaml.Unmarshal(result.Files[file], &over))
			before, err := extract(sdk(t, c.path, result.KubeVersion, user, nil))
			require.NoError(t, err)
			after, err := extract(sdk(t, c.path, result.KubeVersion, user, over))
			require.NoError(t, err)
			for place, image := range before.images {
				if strings.HasPrefix(image, private+"/") {
					continue
				}
				total.images++
				now, want := after.images[place], moved(image)
				reached := now == want
				can := true
				for _, known := range c.unreachable {
					can = can && !strings.Contains(image, known)
				}
				if can {
					total.reachable++
					if reached {
						total.redirected++
					} else {
						assert.Failf(t, "an image is not redirected", "%s %s: %s %s is %s instead of %s", name, file, place, image, now, want)
					}
				}
				if !reached {
					wrong = true
					if !listed[image] && !listed[now] && !mentioned(listed, image) {
						total.silent++
						assert.Failf(t, "an image is missed silently", "%s: %s %s", name, place, image)
					}
				}
			}
			for place, image := range after.images {
				if before.images[place] == "" && !strings.HasPrefix(image, private+"/") {
					wrong = true
				}
			}
			for place, text := range before.rest {
				wrong = wrong || after.rest[place] != text && !strings.Contains(place, "checksum/")
			}
			wrong = wrong || len(after.rest) != len(before.rest) || len(after.images) != len(before.images)
		}
	}
	if result.Complete() && wrong {
		total.false++
		assert.Fail(t, "a proof is wrong")
	}
	require.Equal(t, len(c.unreachable) == 0 && !c.incomplete, result.Complete(), "proved: %+v %+v %+v %+v", result.Outside, result.Unread, result.Suspected, result.Changes)
}

// mentioned reports whether a listed text contains the image, which a map may have in several fields.
func mentioned(listed map[string]bool, image string) bool {
	for text := range listed {
		if strings.Contains(text, image) {
			return true
		}
	}
	return false
}

// moved returns the target of an image with the strategy host-prefix.
func moved(image string) string {
	name, suffix := image, ""
	if at := strings.Index(name, "@"); at >= 0 {
		name, suffix = name[:at], name[at:]
	}
	if at := strings.LastIndex(name, ":"); at > strings.LastIndex(name, "/") {
		name, suffix = name[:at], name[at:]+suffix
	}
	host, rest, found := strings.Cut(full(name), "/")
	if !found {
		return image
	}
	return private + "/" + strings.ReplaceAll(host, ":", "-") + "/" + rest + suffix
}

// sdk renders a chart with only Helm's SDK and returns its manifests.
func sdk(t *testing.T, path, kubeVersion string, layers ...map[string]any) []string {
	t.Helper()
	loaded, err := loader.LoadDir(path)
	require.NoError(t, err)
	values := map[string]any{}
	for i := len(layers) - 1; i >= 0; i-- {
		values = chartutil.CoalesceTables(values, layers[i])
	}
	require.NoError(t, chartutil.ProcessDependenciesWithMerge(loaded, values))
	caps := chartutil.DefaultCapabilities.Copy()
	version, err := chartutil.ParseKubeVersion(kubeVersion)
	require.NoError(t, err)
	caps.KubeVersion = *version
	scope, err := chartutil.ToRenderValues(loaded, values, chartutil.ReleaseOptions{Name: "release-name", Namespace: "default", IsInstall: true, Revision: 1}, caps)
	require.NoError(t, err)
	texts, err := engine.Render(loaded, scope)
	require.NoError(t, err)
	names := make([]string, 0, len(texts))
	for name := range texts {
		names = append(names, name)
	}
	sort.Strings(names)
	var all []string
	for _, name := range names {
		if strings.HasPrefix(filepath.Base(name), "_") || strings.HasSuffix(name, "NOTES.txt") {
			continue
		}
		for _, document := range strings.Split("\n"+texts[name], "\n---") {
			if strings.TrimSpace(document) != "" {
				all = append(all, document)
			}
		}
	}
	require.NotEmpty(t, all, fmt.Sprint(path))
	return all
}
