package generate_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/generate"
)

// cost runs the generator with its proof and reports processor time and memory.
func cost(b *testing.B, options generate.Options) {
	b.Helper()
	begun := processor(b)
	for b.Loop() {
		if _, err := generate.Run(context.Background(), options); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((processor(b)-begun).Seconds()/float64(b.N), "cpu-s/op")
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	b.ReportMetric(float64(memory.Sys)/(1<<20), "MiB")
}

// processor is the time processors have worked for this process.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkImages prints what a chart costs by its number of images.
func BenchmarkImages(b *testing.B) {
	for _, images := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(images), func(b *testing.B) {
			cost(b, generate.Options{Chart: chartOf(b, images), Registry: "reg.corp"})
		})
	}
}

// BenchmarkUmbrella prints what the umbrella costs, in one access mode and in all.
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
	every = append(every, scenario("ha", modeFile("tunnel"), umbrella+"/values-ha.yaml"))
	for _, size := range []struct {
		name      string
		scenarios []generate.Scenario
	}{{"one mode", modeFiles[:1]}, {"every mode", modeFiles}, {"every values file", every}} {
		b.Run(size.name, func(b *testing.B) {
			cost(b, generate.Options{Chart: umbrella, Registry: private, Scenarios: size.scenarios})
		})
	}
}
