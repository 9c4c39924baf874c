// Command image-override points every image of a Helm chart at a private
// registry.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"runtime/debug"

	"gitops-runtime/imageoverride/cli"
	"gitops-runtime/internal/interrupt"
)

func main() {
	ctx, stop := interrupt.Context(context.Background(), interrupt.Grace, os.Exit)
	// A run is short, so it may use some more memory for less work.
	debug.SetGCPercent(200)
	// Helm's libraries write remarks on values to the standard logger.
	log.SetOutput(io.Discard)
	code := cli.Run(ctx, os.Args[1:], cli.Streams{Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(code)
}
