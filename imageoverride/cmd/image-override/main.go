// Command image-override points every image of a Helm chart at a private
// registry.
package main

import (
	"io"
	"log"
	"os"
	"runtime/debug"

	"gitops-runtime/imageoverride/cli"
)

// softMemory is where the collector starts to work harder.
const softMemory = 120 << 20

func main() {
	// A run is short, so it may use some more memory for less work, but less so
	// the more it uses.
	debug.SetGCPercent(200)
	debug.SetMemoryLimit(softMemory)
	// Helm's libraries write remarks on values to the standard logger.
	log.SetOutput(io.Discard)
	os.Exit(cli.Main(os.Args[1:], cli.Streams{Out: os.Stdout, Err: os.Stderr}))
}
