// Command image-override points every image of a Helm chart at a private
// registry.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"gitops-runtime/imageoverride/overridecmd"
	"gitops-runtime/internal/cli"
	"gitops-runtime/internal/process"
)

// limits are above what the largest charts with many scenarios need.
var limits = process.Limits{Soft: 120 << 20, Memory: 200 << 20, CPU: 4 * time.Second}

// version is the chart's version; the build sets it.
var version = "devel"

func main() {
	// Runs are short: fewer garbage collections save CPU time until memory approaches softMemory.
	debug.SetGCPercent(200)
	extend := process.Watch(limits, func(what string) {
		fmt.Fprintf(os.Stderr, "Error: this run takes more than %s; %s\n", what, remedy(what))
		os.Exit(overridecmd.ExitFailure)
	})
	// Helm's libraries write warnings about values to the standard logger.
	log.SetOutput(io.Discard)
	os.Exit(overridecmd.Main(os.Args[1:], overridecmd.Streams{Out: os.Stdout, Err: os.Stderr, Version: cli.Version(version), Started: os.Args[0], Extend: extend}))
}

// remedy returns what to do about a limit.
func remedy(what string) string {
	if strings.HasSuffix(what, "CPU time") {
		return "besides the renders of the chart: look for aliases, and for very many manifests or images"
	}
	return "where the chart needs that, allow more by the environment variable GOMEMLIMIT, as in GOMEMLIMIT=1GiB"
}
