package generate_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/generate"
	"gitops-runtime/internal/testkit"
)

// cost runs the generator with its proof and reports processor time and memory, with the limits of garbage that the program sets.
func cost(b *testing.B, options generate.Options) {
	b.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(200))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(120 << 20))
	begun := testkit.CPUTime(b)
	for b.Loop() {
		_, err := generate.Run(context.Background(), options)
		require.NoError(b, err)
	}
	testkit.ReportCPU(b, begun)
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	b.ReportMetric(float64(memory.Sys)/(1<<20), "MiB")
}

// BenchmarkImages measures charts with different numbers of images.
func BenchmarkImages(b *testing.B) {
	for _, images := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(images), func(b *testing.B) {
			cost(b, generate.Options{Chart: chartOf(b, images), Registry: "reg.corp"})
		})
	}
}

// BenchmarkTemplates measures charts with different numbers of templates, each of which copies all values first, as in some published umbrella
// charts.
func BenchmarkTemplates(b *testing.B) {
	for _, templates := range []int{10, 100, 400} {
		b.Run(fmt.Sprint(templates), func(b *testing.B) {
			cost(b, generate.Options{Chart: copying(b, templates), Registry: "reg.corp"})
		})
	}
}

// copying writes a chart with templates that copy the values, whose size grows with the number of templates.
func copying(b *testing.B, templates int) string {
	b.Helper()
	folder := b.TempDir()
	var values strings.Builder
	for i := range templates {
		fmt.Fprintf(&values, "app%d:\n  image: {registry: quay.io, repository: team/app%d, tag: v1}\n  labels: {a: b, c: d, e: f}\n  args: [one, two, three]\n", i, i)
		testkit.WriteFile(b, fmt.Sprintf("%s/templates/app%d.yaml", folder, i), fmt.Sprintf(`{{- $own := deepCopy . }}
{{- $app := (index $own.Values "app%d") }}
apiVersion: v1
kind: Pod
metadata: {name: app%d, labels: {{ toJson $app.labels }}}
spec: {containers: [{name: app, args: {{ toJson $app.args }}, image: "{{ $app.image.registry }}/{{ $app.image.repository }}:{{ $app.image.tag }}"}]}
`, i, i))
	}
	testkit.WriteFile(b, folder+"/Chart.yaml", "apiVersion: v2\nname: copying\nversion: 0.1.0\n")
	testkit.WriteFile(b, folder+"/values.yaml", values.String())
	return folder
}

// BenchmarkUmbrella measures the umbrella chart: with one access mode, with all, and with every values file, as in make images.
func BenchmarkUmbrella(b *testing.B) {
	var every, modeFiles []generate.Scenario
	for _, mode := range modes {
		modeFiles = append(modeFiles, scenario(mode, modeFile(mode)))
	}
	files, err := filepath.Glob(umbrella + "/ci/*-values.yaml")
	require.NoError(b, err)
	for _, file := range files {
		every = append(every, scenario(short(file), file))
	}
	files, err = filepath.Glob(umbrella + "/values-*.yaml")
	require.NoError(b, err)
	for _, file := range files {
		every = append(every, scenario(short(file), modeFile("tunnel"), file))
	}
	for _, size := range []struct {
		name      string
		scenarios []generate.Scenario
	}{{"one mode", modeFiles[:1]}, {"every mode", modeFiles}, {"every values file", every}} {
		b.Run(size.name, func(b *testing.B) {
			cost(b, generate.Options{Chart: umbrella, Registry: private, Scenarios: size.scenarios})
		})
	}
}
