package cli

import (
	"fmt"
	"os"
	"strings"
)

// RefuseFlagFiles returns an error for a flag that is also the name of a file in the current directory: it was probably meant as a file, from a list of
// files that somebody else named, and would silently change what the program does. Arguments after "--" are files in any case.
func RefuseFlagFiles(args []string) error {
	for _, arg := range args {
		if arg == "--" {
			return nil
		}
		if len(arg) < 2 || !strings.HasPrefix(arg, "-") {
			continue
		}
		if _, err := os.Lstat(arg); err == nil {
			return fmt.Errorf("%s is a flag and also a file in this directory; write -- before the names of files, or ./%s for the file, or remove the file", arg, arg)
		}
	}
	return nil
}
