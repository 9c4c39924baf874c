package backupcmd

import (
	"os/exec"
	"syscall"
)

// endTogether makes the kernel kill a program when this one is killed. An install that continues alone, or takes its time to be canceled, would be in the way
// of the next run, which removes what it left and installs again.
func endTogether(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
