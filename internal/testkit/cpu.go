package testkit

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// CPUUnit is the unit of ReportCPU: seconds of all processors together for one operation, user and system time.
// hack/tools/bench-compare.sh fails when it grows by more than 20 %.
const CPUUnit = "cpu-s/op"

// CPUTime returns the CPU time that this process has used until now.
func CPUTime(tb testing.TB) time.Duration {
	tb.Helper()
	var used syscall.Rusage
	require.NoError(tb, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// ReportCPU reports the CPU time of an operation of the benchmark in CPUUnit, which is more meaningful than
// elapsed time on a busy machine; since is the CPUTime before its loop.
func ReportCPU(b *testing.B, since time.Duration) {
	b.Helper()
	b.ReportMetric((CPUTime(b)-since).Seconds()/float64(b.N), CPUUnit)
}
