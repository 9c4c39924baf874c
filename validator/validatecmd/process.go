package validatecmd

import (
	"os"
	"runtime/debug"
	"time"

	"golang.org/x/term"
)

// softLimit is the heap size at which the garbage collector runs more often; input is limited well below the memory that its container may use.
const softLimit = 200 << 20

// Process returns the environment of this process, for a program of the given version, without a cluster and registries.
func Process(version string) System {
	debug.SetMemoryLimit(softLimit)
	return System{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Color:   ShowsColors(os.Stdout),
		Version: version, Started: os.Args[0], Now: time.Now, Getenv: os.Getenv,
	}
}

// ShowsColors reports whether output is a terminal with colors that are not turned off (https://no-color.org).
func ShowsColors(output *os.File) bool {
	return term.IsTerminal(int(output.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
