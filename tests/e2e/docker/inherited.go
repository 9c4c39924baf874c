package docker

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// closeInheritedOnExec marks every file descriptor above standard error to be closed in programs that this process starts. Otherwise a program that
// outlives it would keep inherited descriptors open, such as a pipe that another process reads to its end.
func closeInheritedOnExec() error {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("list this process's open files: %w", err)
	}
	for _, entry := range open {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil {
			return fmt.Errorf("list this process's open files: %w", err)
		}
		if fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
	return nil
}
