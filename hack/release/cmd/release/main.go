// Command release creates releases: it stamps the version, publishes images and charts to a registry, verifies them there, and creates the files that
// are packed with the programs.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"gitops-runtime/hack/release/version"
	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/process"
)

// limits are for commands that read what others wrote, such as verify.
var limits = process.Limits{Soft: 100 << 20, Memory: 200 << 20, CPU: 4500 * time.Millisecond}

// buildLimits are for commands that pack the programs of this checkout into images.
var buildLimits = process.Limits{Soft: 240 << 20, Memory: 480 << 20, CPU: 2 * time.Minute}

func main() {
	limits := limits
	if len(os.Args) > 1 && (os.Args[1] == "publish" || os.Args[1] == "image") {
		limits = buildLimits
	}
	process.Watch(limits, func(what string) {
		fmt.Fprintf(os.Stderr, "release: this run takes more than %s, which no release needs; look for what others wrote: the registry's answers, tables, aliases in YAML\n", what)
		os.Exit(1)
	})
	ctx, stop := process.Interruptible(context.Background(), process.Grace, os.Exit)
	err := command().ExecuteContext(ctx)
	by, ended := process.EndedBy(ctx)
	stop()
	switch {
	case err == nil:
	case ended:
		fmt.Fprintln(os.Stderr, "release: interrupted; run the command again to continue")
		os.Exit(process.ExitCode(by))
	default:
		fmt.Fprintln(os.Stderr, "release:", cleantext.Block(cleantext.Cut(err.Error(), longest)))
		os.Exit(1)
	}
}

// longest is the maximum number of characters of an error that is printed; it may quote answers of others.
const longest = 4000

func command() *cobra.Command {
	root := &cobra.Command{Use: "release", Short: "Build, publish and verify a release", SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(addressCommand(), stampCommand(), imageCommand(), imagesLockCommand(), publishCommand(), verifyCommand(), signCommand(), sbomCommand(), vexCommand(), followCommand())
	return root
}

func stampCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stamp",
		Short: "Write the version of the file VERSION, and the address of address.yaml, to all files that contain it",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			root, err := gomodule.Root()
			if err != nil {
				return err
			}
			return version.Write(root)
		},
	}
}
