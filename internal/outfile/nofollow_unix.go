//go:build unix

package outfile

import "syscall"

// NoFollow is the flag of os.OpenFile by which a link in the place of a file is an error.
const NoFollow = syscall.O_NOFOLLOW
