package docker

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// capSysResource is CAP_SYS_RESOURCE's bit, from linux/capability.h.
const capSysResource = 24

// LacksSysResource reports whether the containers of this machine cannot have CAP_SYS_RESOURCE.
func LacksSysResource() (bool, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return false, err
	}
	return lacksSysResource(string(status))
}

// lacksSysResource reports, from the text of /proc/self/status, whether this machine's bounding set lacks CAP_SYS_RESOURCE, so that no container can
// have it either.
func lacksSysResource(status string) (bool, error) {
	for line := range strings.Lines(status) {
		value, found := strings.CutPrefix(line, "CapBnd:")
		if !found {
			continue
		}
		bits, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
		if err != nil {
			return false, fmt.Errorf("the bounding set in /proc/self/status: %w", err)
		}
		return bits&(1<<capSysResource) == 0, nil
	}
	return false, fmt.Errorf("/proc/self/status has no line CapBnd")
}
