package process

import (
	"syscall"
	"time"
)

// CPUTime returns the CPU time that this process has used, 0 if it is not known.
func CPUTime() time.Duration {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0
	}
	var created, exited, kernel, user syscall.Filetime
	if syscall.GetProcessTimes(self, &created, &exited, &kernel, &user) != nil {
		return 0
	}
	return span(kernel) + span(user)
}

// span converts a duration in units of 100 ns, which Windows uses.
func span(time100 syscall.Filetime) time.Duration {
	return time.Duration(int64(time100.HighDateTime)<<32|int64(time100.LowDateTime)) * 100
}
