package cli

import (
	"runtime/debug"
	"strings"
)

// Version returns the version of the program: the one that its build set or, for a program that `go install` built from a module, the module's.
func Version(set string) string {
	if set != "devel" {
		return set
	}
	info, found := debug.ReadBuildInfo()
	if !found || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return set
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}
