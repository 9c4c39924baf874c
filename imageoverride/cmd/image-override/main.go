// Command image-override points every image of a Helm chart at a private
// registry.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"runtime/debug"

	"gitops-runtime/imageoverride/overridecmd"
	"gitops-runtime/internal/memlimit"
)

// softMemory is the memory limit of the garbage collector in bytes; the program exits when heap and stacks exceed maxMemory bytes. GOMEMLIMIT overrides
// both. The largest charts with many scenarios stay well below maxMemory.
const (
	softMemory = 120 << 20
	maxMemory  = 200 << 20
)

// version is the chart's version; the build sets it.
var version = "devel"

func main() {
	// Runs are short: fewer garbage collections save CPU time until memory approaches softMemory.
	debug.SetGCPercent(200)
	memlimit.Watch(softMemory, maxMemory, func(what string) {
		fmt.Fprintf(os.Stderr, "Error: this run takes more than %s; where the chart needs that, allow more by the environment variable GOMEMLIMIT, as in GOMEMLIMIT=1GiB\n", what)
		os.Exit(overridecmd.ExitFailure)
	})
	// Helm's libraries write warnings about values to the standard logger.
	log.SetOutput(io.Discard)
	os.Exit(overridecmd.Main(os.Args[1:], overridecmd.Streams{Out: os.Stdout, Err: os.Stderr, Version: version, Started: os.Args[0]}))
}
