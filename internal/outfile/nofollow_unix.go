//go:build unix

package outfile

import "syscall"

// NoFollow is the flag that makes os.OpenFile fail if the file is a symbolic link.
const NoFollow = syscall.O_NOFOLLOW

// noWait is the flag that makes os.OpenFile fail with noReader, instead of waiting, if no program reads from a pipe.
const (
	noWait   = syscall.O_NONBLOCK
	noReader = syscall.ENXIO
)
