// Package processor reports the CPU time of benchmarks, which is more meaningful than elapsed time on a busy machine.
package processor

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Unit is the unit of Report: seconds of all processors together for one operation, user and system time.
// tools/bench-compare.sh fails when it grows by more than 20 %.
const Unit = "cpu-s/op"

// Time returns the CPU time that this process has used until now.
func Time(tb testing.TB) time.Duration {
	tb.Helper()
	var used syscall.Rusage
	require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// Report reports the CPU time of an operation of the benchmark in Unit; since is the Time before its loop.
func Report(b *testing.B, since time.Duration) {
	b.Helper()
	b.ReportMetric((Time(b)-since).Seconds()/float64(b.N), Unit)
}
