package generate_test

import (
	"context"
	"fmt"
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
	var all []generate.Scenario
	for _, mode := range modes {
		all = append(all, scenario(mode, modeFile(mode)))
	}
	for name, scenarios := range map[string][]generate.Scenario{"one mode": all[:1], "every mode": all} {
		b.Run(name, func(b *testing.B) {
			cost(b, generate.Options{Chart: umbrella, Registry: private, Scenarios: scenarios})
		})
	}
}
