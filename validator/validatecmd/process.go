package validatecmd

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/term"

	"gitops-runtime/internal/process"
)

// Watch ends the program with a message and ExitError when its run takes more than the limits. The returned function adds to the CPU time.
func Watch(limits process.Limits) (extend func(time.Duration)) {
	return process.Watch(limits, func(what string) {
		fmt.Fprintf(os.Stderr, "validate-values: this run takes more than %s, which no values need; look for aliases, long texts or deep nesting in the files\n", what)
		os.Exit(ExitError)
	})
}

// Process returns the environment of this process, for a program of the given version, without a cluster and registries.
func Process(version string) System {
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
