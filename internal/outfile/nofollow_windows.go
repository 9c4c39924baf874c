package outfile

import "syscall"

// NoFollow has no effect on Windows, which has no such flag; by default only administrators can create links there.
// https://learn.microsoft.com/en-us/windows/security/threat-protection/security-policy-settings/create-symbolic-links
const NoFollow = 0

// noWait and noReader have no meaning on Windows, whose file system has no pipes.
const (
	noWait   = 0
	noReader = syscall.ENXIO
)
