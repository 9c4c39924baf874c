// Package doctorcmd is the command `validate-values doctor`: its flags, the releases that it examines, its reports and exit codes.
package doctorcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/report"
	"gitops-runtime/validator/validatecmd"
)

const description = `Examines a running GitOps runtime: pods, volumes, Secrets, tokens and certificates, network paths, the release and what was changed since,
definitions, the event bus, queues, nodes and clocks. Each finding has a code, the place and the command that fixes it.

Everything is read through the API server, with the rights of docs/security.md; nothing is written without --events, and no pod is started. Paths are measured where they
are used, by what the programs report about them. With --from-here the platform, Git and the public URL are also asked from this machine.

With --events each finding becomes an Event, and with --push-metrics a Prometheus Pushgateway gets their numbers: both are meant for a CronJob, see doctor.enabled
in the values of the chart.

With --bundle the findings, objects, events, logs and versions are packed into one archive without credentials, to be sent to others.

Exit codes: 0 fine, 1 the program failed, 2 usage, or a release that cannot be read, 3 failed checks, 4 warnings under --strict, 5 a question got no answer.`

const examples = `  validate-values doctor --namespace codefresh
  validate-values doctor -n codefresh -o text -o html=doctor.html
  validate-values doctor -n codefresh --contexts staging,production
  validate-values doctor -n codefresh --bundle bundle.tar.gz --since 2h`

type options struct {
	validatecmd.Options
	contexts []string
	fromHere bool
	bundle   bundleOptions
	announce announceOptions
}

// Command returns the command.
func Command(system validatecmd.System, code *int) *cobra.Command {
	var o options
	command := &cobra.Command{
		Use: "doctor", Short: "Examine a running GitOps runtime", Long: description, Example: examples,
		Args: cobra.NoArgs, SilenceErrors: true, SilenceUsage: true,
		RunE: func(command *cobra.Command, _ []string) error {
			var err error
			*code, err = o.run(command.Context(), system)
			return err
		},
	}
	flags := command.Flags()
	flags.SortFlags = false
	flags.StringVarP(&o.Namespace, "namespace", "n", "", "namespace of the release (default: that of the kubeconfig's context)")
	flags.StringVar(&o.Release, "release", "cf-gitops-runtime", "name of the Helm release")
	flags.StringVar(&o.Connection.Kubeconfig, "kubeconfig", "", "kubeconfig file")
	flags.StringVar(&o.Connection.Context, "context", "", "context of the kubeconfig")
	flags.StringSliceVar(&o.contexts, "contexts", nil, "examine the runtimes of several contexts, and print one table")
	flags.StringSliceVarP(&o.Values.Files, "values", "f", nil, "values of a runtime that is not a Helm release and that no Application on this cluster describes (may be repeated)")
	flags.StringVar(&o.Chart, "chart", "", "chart whose definitions are compared: directory, .tgz file or oci:// reference (default: charts/gitops-runtime in this or a parent directory)")
	flags.StringVar(&o.ChartVersion, "version", "", "version of the chart to pull from the registry")
	if system.Registries != nil {
		system.Registries.Register(flags)
	}
	flags.BoolVar(&o.fromHere, "from-here", false, "also ask the platform, Git and the public URL from this machine, with the credentials of the release")
	flags.StringSliceVar(&o.Skip, "skip", nil, "codes of checks or findings to skip")
	flags.BoolVar(&o.Strict, "strict", false, "exit with 4 when there are warnings")
	flags.StringArrayVarP(&o.Outputs, "output", "o", []string{"text"}, "report format "+strings.Join(append(report.Names(), "html", "metrics"), ", ")+"; with =FILE into a file (may be repeated)")
	flags.DurationVar(&o.Timeout, "timeout", 2*time.Minute, "timeout of the whole run")
	o.announce.register(flags)
	o.bundle.register(flags)
	return command
}

func (o options) run(ctx context.Context, system validatecmd.System) (int, error) {
	formats := map[string]report.Format{"metrics": report.Metrics{}}
	maps.Copy(formats, system.Formats)
	outputs, err := validatecmd.ParseOutputs(o.Outputs, system.Color, formats)
	if err == nil {
		err = o.check()
	}
	if err != nil {
		return 0, validatecmd.Failure(validatecmd.ExitUsage, err)
	}
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	if len(o.contexts) > 0 {
		return o.fleet(ctx, system, outputs)
	}
	one, err := o.open(ctx, system)
	if err != nil {
		return 0, validatecmd.Failure(validatecmd.ExitUsage, err)
	}
	made := one.examine(ctx, system.Version)
	if err := outputs.Write(made, system.Out); err != nil {
		return 0, validatecmd.Failure(validatecmd.ExitError, err)
	}
	if err := o.announce.write(ctx, one, made, system.Err); err != nil {
		return 0, validatecmd.Failure(validatecmd.ExitError, err)
	}
	if o.bundle.file != "" {
		if err := o.bundle.write(ctx, one, made, system.Err); err != nil {
			return 0, validatecmd.Failure(validatecmd.ExitError, err)
		}
	}
	return validatecmd.Verdict(made.Results, o.Strict, false), nil
}

func (o options) check() error {
	if err := o.Names(); err != nil {
		return err
	}
	for _, code := range o.Skip {
		if _, known := findings.Lookup(code); !known {
			return fmt.Errorf("--skip names %q, which is not a code; `validate-values explain` lists them", code)
		}
	}
	switch {
	case len(o.contexts) > 0 && o.Connection.Context != "":
		return errors.New("--context and --contexts exclude each other")
	case len(o.contexts) > 0 && (o.bundle.file != "" || o.announce.any()):
		return errors.New("--bundle, --events and --push-metrics are of one runtime: give --context instead of --contexts")
	}
	return errors.Join(o.bundle.check(), o.announce.check())
}

// fleet examines the runtimes of several contexts, one after the other, and writes a table of them.
func (o options) fleet(ctx context.Context, system validatecmd.System, outputs validatecmd.Outputs) (int, error) {
	var all []report.Report
	var results []engine.Result
	for _, name := range o.contexts {
		each := o
		each.Connection.Context = name
		made := report.Report{Target: report.Target{Namespace: o.Namespace, Running: true}}
		one, err := each.open(ctx, system)
		if err == nil {
			made = one.examine(ctx, system.Version)
		} else {
			made.Results = []engine.Result{{
				Code: "REL100", Title: "The release is deployed", Group: "release", Status: engine.Inconclusive,
				Findings: []findings.Finding{findings.New("REL100", placeOf(name), sentence(err))},
			}}
		}
		made.File, made.Version = name, system.Version
		all, results = append(all, made), append(results, made.Results...)
	}
	if slices.Contains(o.Outputs, "text") {
		if err := table(system.Out, all); err != nil {
			return 0, validatecmd.Failure(validatecmd.ExitError, fmt.Errorf("report: %w", err))
		}
	}
	if err := outputs.WriteAll(all, system.Out); err != nil {
		return 0, validatecmd.Failure(validatecmd.ExitError, err)
	}
	return validatecmd.Verdict(results, o.Strict, false), nil
}

// table writes one line for each runtime.
func table(out io.Writer, all []report.Report) error {
	const gap = 2
	w := tabwriter.NewWriter(out, 0, 0, gap, ' ', 0)
	fmt.Fprintln(w, "CONTEXT\tRUNTIME\tNAMESPACE\tCHART\tSTATUS\tFINDINGS")
	for _, each := range all {
		each = each.Clean()
		var codes []string
		for _, one := range each.Findings() {
			if !slices.Contains(codes, one.Code) {
				codes = append(codes, one.Code)
			}
		}
		fmt.Fprintln(w, strings.Join([]string{
			cleantext.Line(each.File), dash(each.Target.Runtime), dash(each.Target.Namespace), dash(each.Target.Chart), string(each.Status()), dash(strings.Join(codes, " ")),
		}, "\t"))
	}
	fmt.Fprintln(w)
	return w.Flush()
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
