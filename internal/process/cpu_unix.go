//go:build unix

package process

import (
	"syscall"
	"time"
)

// CPUTime returns the CPU time that this process has used, 0 if it is not known.
func CPUTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
