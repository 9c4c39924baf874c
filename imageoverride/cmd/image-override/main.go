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

	"gitops-runtime/imageoverride/overridecmd"
	"gitops-runtime/internal/cli"
	"gitops-runtime/internal/process"
)

// limits are many times what the charts of this repository need for one scenario.
var limits = process.Limits{Soft: 120 << 20, Memory: 200 << 20, CPU: overridecmd.RunTime}

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
		return "look for aliases, and for very many manifests or images; for a chart whose renders take long, allow each more, as in --render-time 30s"
	}
	return "where the chart needs that, allow more by the environment variable GOMEMLIMIT, as in GOMEMLIMIT=1GiB"
}
