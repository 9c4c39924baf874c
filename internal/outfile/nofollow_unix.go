//go:build unix

package outfile

import "syscall"

// NoFollow is the flag that makes os.OpenFile fail if the file is a symbolic link.
const NoFollow = syscall.O_NOFOLLOW
