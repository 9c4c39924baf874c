// Command release creates releases: it stamps the version, publishes images and charts to a registry, verifies them there, and creates the files that
// are packed with the programs.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/interrupt"
	"gitops-runtime/release/version"
)

func main() {
	ctx, stop := interrupt.Context(context.Background(), interrupt.Grace, os.Exit)
	err := command().ExecuteContext(ctx)
	by, ended := interrupt.By(ctx)
	stop()
	switch {
	case err == nil:
	case ended:
		fmt.Fprintln(os.Stderr, "release: interrupted; run the command again to continue")
		os.Exit(interrupt.Code(by))
	default:
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func command() *cobra.Command {
	root := &cobra.Command{Use: "release", Short: "Build, publish and verify a release", SilenceUsage: true, SilenceErrors: true}
	root.AddCommand(stampCommand(), imageCommand(), publishCommand(), verifyCommand(), signCommand(), sbomCommand())
	return root
}

func stampCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stamp",
		Short: "Write the version of the file VERSION to all files that contain it",
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
