package validatecmd

import (
	"os"
	"runtime/debug"
	"time"

	"golang.org/x/term"
)

// softLimit is where the garbage collector begins to work harder; what a run
// reads is bounded well below the memory that its container may have.
const softLimit = 200 << 20

// Process is the machine around this process, for a program of the given version.
// It has no cluster yet, and no registries.
func Process(version string) System {
	debug.SetMemoryLimit(softLimit)
	return System{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Color:   ShowsColors(os.Stdout),
		Version: version, Started: os.Args[0], Now: time.Now, Getenv: os.Getenv,
	}
}

// ShowsColors reports whether output is a terminal that shows colors, and nobody asked for none (https://no-color.org).
func ShowsColors(output *os.File) bool {
	return term.IsTerminal(int(output.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
