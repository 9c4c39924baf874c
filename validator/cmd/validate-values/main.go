// Command validate-values checks the values of a GitOps runtime, on a person's
// machine and as the chart's hook Job.
package main

import (
	"context"
	"os"
	"runtime/debug"
	"time"

	_ "golang.org/x/crypto/x509roots/fallback" // public CAs, where the image has none
	"golang.org/x/term"

	"gitops-runtime/internal/interrupt"
	"gitops-runtime/validator/cli"
)

// version is set by the build, to the chart's.
var version = "devel"

// softLimit is where the garbage collector begins to work harder; what a run
// reads is bounded well below the memory that its container may have.
const softLimit = 200 << 20

func main() {
	debug.SetMemoryLimit(softLimit)
	ctx, stop := interrupt.Context(context.Background(), interrupt.Grace, os.Exit)
	code := cli.Main(ctx, os.Args[1:], cli.System{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Colour:  term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
		Version: version, Now: time.Now, Getenv: os.Getenv, Connect: cli.Connect,
	})
	stop()
	os.Exit(code)
}
