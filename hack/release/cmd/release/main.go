// Command release creates releases: it stamps the version, publishes images and charts to a registry, verifies them there, and creates the files that
// are packed with the programs.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"gitops-runtime/hack/release/version"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/process"
)

func main() {
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
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

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
