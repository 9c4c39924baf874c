// Package validatecmd is the command line: flags, reports and exit codes. It does not know individual checks, and gets clusters and registries from the
// main package of a program.
package validatecmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/cli"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/validator/checks"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/hook"
	"gitops-runtime/validator/report"
	"gitops-runtime/validator/selftest"
	"gitops-runtime/validator/uninstall"
)

// System is the environment of the program.
type System struct {
	In       io.Reader
	Out, Err io.Writer
	// Color is true if Out is a terminal that shows colors.
	Color bool
	// Version is the version of the program.
	Version string
	// Started is the path of the executable, which determines whether the program runs as a kubectl plugin.
	Started string
	// Now is the time by which tokens and certificates expire.
	Now func() time.Time
	// Getenv reads the environment.
	Getenv func(name string) string
	// Connect connects to the cluster; the namespace is that of the kubeconfig's context, and "" in a pod.
	Connect func(ctx context.Context, how Connection) (found Cluster, namespace string, err error)
	// Registries contacts registries of charts; nil if none is pulled.
	Registries Registries
	// BuiltIn is the chart that the program was built with, which is used if no other is named or found; nil in a build without one.
	BuiltIn func(ctx context.Context) (*helmchart.Chart, error)
	// Formats are additional report formats of this build, by name.
	Formats map[string]report.Format
	// Migrate creates the command that rewrites values files for a chart; nil in a build without it. The function gives an error an exit code.
	Migrate func(in io.Reader, chart func(context.Context) (*helmchart.Chart, error), failed func(exit int, err error) error) *cobra.Command
	// Schema creates the output of the command schema; nil in a build without it.
	Schema Schema
	// Preview creates the command that says what an upgrade changes; nil in a build without it. The command sets the exit code.
	Preview func(system System, code *int) *cobra.Command
	// Further create commands of this build that set the exit code.
	Further []func(system System, code *int) *cobra.Command
	// Running are the checks of a running runtime, for the command explain and the page of checks; nil in a build without them.
	Running []engine.Check
	// Manual creates the command that writes man pages and completions; nil in a build without it.
	Manual func() *cobra.Command
}

// Registries provides access to charts in registries, as configured by additional flags.
type Registries interface {
	// Register adds the flags.
	Register(flags *pflag.FlagSet)
	// Open returns the access that the flags, or else the environment, configure.
	Open(getenv func(string) string) (helmchart.Registry, error)
}

// Cluster is all requests that the commands send to an API server: those of the checks, the Event and the removal of hook resources, the deletions of
// the uninstall hooks, and what tests create. A client that wraps another has to implement all of them.
type Cluster interface {
	checks.Cluster
	hook.Announcer
	hook.Owners
	uninstall.Cluster
	selftest.Cluster
	// Metadata lists the metadata of the objects at an API path that match a label selector.
	Metadata(ctx context.Context, collection, selector string) ([]cluster.Meta, error)
	// MetadataOf returns the metadata of the object at an API path.
	MetadataOf(ctx context.Context, path string) (cluster.Meta, error)
	// List reads the objects at an API path that a query selects, in JSON.
	List(ctx context.Context, collection string, query url.Values) ([]json.RawMessage, error)
	// Text reads what an API path answers in another format than JSON, such as a log.
	Text(ctx context.Context, resource, path string, query url.Values, limit int64) ([]byte, error)
	// Clock returns the time of the API server.
	Clock(ctx context.Context) (time.Time, error)
}

// Connection selects the cluster.
type Connection struct {
	// InCluster selects the cluster of this pod.
	InCluster bool
	// Kubeconfig and Context are the flags of kubectl; both may be empty.
	Kubeconfig, Context string
}

// failure is an error with the exit code of the program.
type failure struct {
	code int
	err  error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// Failure returns an error with the exit code of the program.
func Failure(code int, err error) error { return &failure{code, err} }

func usage(err error) error  { return &failure{ExitUsage, err} }
func broken(err error) error { return &failure{ExitError, err} }

// Main runs the program and returns its exit code.
func Main(ctx context.Context, args []string, system System) int {
	code := ExitOK
	root := commands(system, &code)
	root.SetArgs(args)
	root.SetIn(system.In)
	root.SetOut(system.Out)
	root.SetErr(system.Err)
	root.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		if slices.Contains(args, "--version") && strings.Contains(err.Error(), "--version") {
			return errors.New("--version names the version of the chart, as in helm; `validate-values version` prints the program's")
		}
		return fmt.Errorf("%w; see %s --help", cli.SuggestFlag(command, err), command.CommandPath())
	})
	if len(args) == 1 && args[0] == "--version" { // as in other programs with cobra; with a value it is the chart's version
		root.SetArgs([]string{"version"})
	}
	err := cli.RefuseFlagFiles(args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if err == nil {
		return code
	}
	fmt.Fprintln(system.Err, "validate-values:", cleantext.Message(err.Error()))
	var known *failure
	if errors.As(err, &known) {
		return known.code
	}
	return ExitUsage
}

// Command returns the command with its subcommands, for the generation of documentation.
func Command(system System) *cobra.Command {
	code := ExitOK
	return commands(system, &code)
}

func commands(system System, code *int) *cobra.Command {
	root := rootCommand(system, code)
	root.AddCommand(hookCommand(system, code), uninstallCommand(system), rotateCommand(system), testCommand(system, code), explainCommand(system), docsCommand(system), versionCommand(system))
	if system.Migrate != nil {
		root.AddCommand(system.Migrate(system.In, system.BuiltIn, func(exit int, err error) error { return &failure{exit, err} }))
	}
	if system.Preview != nil {
		root.AddCommand(system.Preview(system, code))
	}
	for _, create := range system.Further {
		root.AddCommand(create(system, code))
	}
	if system.Schema != nil {
		root.AddCommand(schemaCommand(system))
	}
	if system.Manual != nil {
		root.AddCommand(system.Manual())
	}
	return root
}

const description = `Checks the values of a GitOps runtime before it is installed or upgraded.

Everything that is wrong is found in one run, each finding with a stable code, the place
in the values it comes from, and what to do about it. Nothing is written anywhere.

Files named without -f are a batch: each is checked by itself, over the files of -f and
under the flags, and one report tells of all.

Exit codes: 0 fine, 1 the program failed, 2 usage, 3 failed checks, 4 warnings under
--strict, 5 a question got no answer.`

const examples = `  validate-values -f values.yaml --namespace codefresh
  validate-values -f values.yaml --set global.runtime.name=prod -n codefresh --no-cluster
  validate-values -f values.yaml -n codefresh -o text -o sarif=values.sarif
  validate-values 'clusters/*/values.yaml' -f common.yaml -n codefresh --no-cluster
  validate-values -f values.yaml -n codefresh --chart oci://registry.example.com/charts/gitops-runtime --version 1.2.3
  validate-values explain RUN201`

func rootCommand(system System, code *int) *cobra.Command {
	var options Options
	command := &cobra.Command{
		Use: "validate-values [-f values.yaml] [FILE|PATTERN...] --namespace NS", Short: "Check the values of a GitOps runtime",
		Long: description, Example: examples, Args: cobra.ArbitraryArgs,
		SilenceErrors: true, SilenceUsage: true,
		RunE: func(command *cobra.Command, batch []string) error {
			if err := misspelled(command, batch); err != nil {
				return usage(err)
			}
			options.Batch = batch
			var err error
			*code, err = Validate(command.Context(), options, system)
			return err
		},
	}
	cli.SetPluginName(command, system.Started)
	formats := append(report.Names(), slices.Sorted(maps.Keys(system.Formats))...)
	options.register(command.Flags(), system.Registries, formats)
	cli.Complete(command, "output", formats)
	cli.Complete(command, "skip", codes())
	return command
}

// misspelled returns an error if the first argument is not a file but similar to a command.
func misspelled(command *cobra.Command, words []string) error {
	if len(words) == 0 {
		return nil
	}
	if _, err := os.Stat(words[0]); err == nil {
		return nil
	}
	if near := cli.SuggestCommand(command, words[0]); near != "" {
		return fmt.Errorf("%s: no such file or command; did you mean %s?", words[0], near)
	}
	return nil
}

// codes returns all codes with their sentences, for completion.
func codes() []string {
	var list []string
	for _, definition := range slices.Concat(findings.Table(), findings.RunningTable()) {
		list = append(list, cobra.CompletionWithDesc(definition.Code, pattern(definition.Sentence)))
	}
	return list
}

func versionCommand(system System) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the program's version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return show(system.Out, system.Version+"\n") },
	}
}
