// Package overridecmd is the command line of image-override.
package overridecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/generate"
	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/cli"
	"gitops-runtime/internal/process"
)

// Exit codes.
const (
	ExitOK      = 0
	ExitFailure = 1 // the program could not do its work
	ExitUsage   = 2 // the command line or the values are wrong
	ExitLeftOut = 3 // an image is left out
)

// Streams are the outputs: results go to Out, messages to Err.
type Streams struct {
	Out, Err io.Writer
	// Version is the version of the program.
	Version string
	// Started is the path of the executable, which determines whether the program runs as a kubectl plugin.
	Started string
	// Extend adds to the CPU time that the process may use; may be nil.
	Extend func(time.Duration)
}

// transfer raises the limit of CPU time, since images may have any size.
func (s Streams) transfer() {
	if s.Extend != nil {
		s.Extend(transferTime)
	}
}

const description = `Points every image of a Helm chart at a private registry, proves by rendering that none is
left out, and copies the images. CHART is a chart's directory, an archive, or
oci://host/path[:version].

Exit codes: 0 done, and every image is at the registry, 1 the program could not do its work,
2 the command line or the values are wrong, 3 an image is left out.`

const examples = `  image-override generate CHART --registry registry.corp:5000/gitops -f my.yaml -o out
  image-override mirror out/image-mirror.csv
  image-override verify-mirror out/image-mirror.csv
  helm install NAME CHART -f my.yaml -f out/values-images-no-tags.yaml
  image-override why CHART nats -f my.yaml`

// leftOut is the error of a run that completed and found an image left out.
type leftOut struct{ message string }

func (e leftOut) Error() string { return e.message }

// usage is the error of an invalid command line.
type usage struct{ error }

func (e usage) Unwrap() error { return e.error }

// Main is Run with signal handling: SIGINT and SIGTERM cancel the command, and
// Main then returns the exit code that shells expect.
func Main(args []string, streams Streams) int {
	ctx, stop := process.Interruptible(context.Background(), process.Grace, os.Exit)
	code := Run(ctx, args, streams)
	by, ended := process.EndedBy(ctx)
	stop()
	if ended && code != ExitOK {
		return process.ExitCode(by)
	}
	return code
}

// Run runs one command line, without the program's name, and returns the exit
// code.
func Run(ctx context.Context, args []string, streams Streams) int {
	root := Command(streams)
	root.SetArgs(args)
	if err := cli.RefuseFlagFiles(args); err != nil {
		return exitCode(usage{err}, streams)
	}
	return exitCode(root.ExecuteContext(ctx), streams)
}

// Command returns the root command with its subcommands.
func Command(streams Streams) *cobra.Command {
	root := &cobra.Command{
		Use:           "image-override",
		Short:         "Redirect every image of a Helm chart to a private registry, and prove it",
		Long:          description,
		Example:       examples,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cli.SetPluginName(root, streams.Started)
	root.Args = wrapArgs(func(_ *cobra.Command, rest []string) error {
		if len(rest) > 0 {
			if near := cli.SuggestCommand(root, rest[0]); near != "" {
				return fmt.Errorf("unknown command %q; did you mean %s?", rest[0], near)
			}
			return fmt.Errorf("unknown command %q", rest[0])
		}
		return nil
	})
	root.RunE = func(command *cobra.Command, _ []string) error { return command.Help() }
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	root.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		return usage{fmt.Errorf("%w; see %s --help", cli.SuggestFlag(command, err), command.CommandPath())}
	})
	root.Version = streams.Version
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(cli.ManualCommand(), versionCommand(streams), generateCommand(streams), verifyCommand(streams), listCommand(streams), whyCommand(streams),
		mirrorCommand(streams), verifyMirrorCommand(streams), lockCommand(streams), postRenderCommand(streams), exportCommand(streams), bundleCommand(streams), loadCommand(streams))
	for _, command := range root.Commands() {
		command.Args = wrapArgs(command.Args)
	}
	return root
}

// exitCode prints an error, and returns its exit code.
func exitCode(err error, streams Streams) int {
	var left leftOut
	var wrong usage
	var unread *generate.WrongValues
	var refused *generate.Refused
	var version *chartrender.WrongKubeVersion
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &left):
		_, _ = fmt.Fprintln(streams.Err, cleantext.Block(left.message))
		return ExitLeftOut
	case errors.As(err, &wrong), errors.As(err, &unread), errors.As(err, &refused), errors.As(err, &version):
		_, _ = fmt.Fprintln(streams.Err, "Error:", cleantext.Message(err.Error()))
		return ExitUsage
	default:
		_, _ = fmt.Fprintln(streams.Err, "Error:", cleantext.Message(err.Error()))
		return ExitFailure
	}
}

func versionCommand(streams Streams) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the program's version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(streams.Out, streams.Version)
			return err
		},
	}
}

// wrapArgs returns a check whose errors are usage errors.
func wrapArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		if check == nil {
			return nil
		}
		if err := check(command, args); err != nil {
			return usage{fmt.Errorf("%w; see %s --help", err, command.CommandPath())}
		}
		return nil
	}
}
