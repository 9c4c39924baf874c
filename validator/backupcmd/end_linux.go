package backupcmd

import (
	"os/exec"
	"syscall"
)

// endTogether makes the kernel end a program when this one is killed: an install that continues alone would be in the way of the next run.
func endTogether(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
}
