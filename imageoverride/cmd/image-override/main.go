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

// softMemory is where the garbage collector runs more often, and maxMemory where the program aborts, unless GOMEMLIMIT allows more: the largest charts
// with many scenarios stay well below it.
const (
	softMemory = 120 << 20
	maxMemory  = 200 << 20
)

// version is set by the build, to the chart's.
var version = "devel"

func main() {
	// A run is short, so it may trade memory for less work, but less so the more memory it uses.
	debug.SetGCPercent(200)
	memlimit.Watch(softMemory, maxMemory, func(what string) {
		fmt.Fprintf(os.Stderr, "Error: this run takes more than %s; where the chart needs that, allow more by the environment variable GOMEMLIMIT, as in GOMEMLIMIT=1GiB\n", what)
		os.Exit(overridecmd.ExitFailure)
	})
	// Helm's libraries write remarks on values to the standard logger.
	log.SetOutput(io.Discard)
	os.Exit(overridecmd.Main(os.Args[1:], overridecmd.Streams{Out: os.Stdout, Err: os.Stderr, Version: version, Started: os.Args[0]}))
}
