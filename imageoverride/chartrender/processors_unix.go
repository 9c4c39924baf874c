//go:build unix

package chartrender

import (
	"syscall"
	"time"
)

// processors returns the CPU time that this process has used, 0 if it is not known.
func processors() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
