// Package previewcmd is the command `validate-values preview`: its flags, what it compares, and its exit codes.
package previewcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
	"github.com/spf13/cobra"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/cli"
	"gitops-runtime/internal/outfile"
	"gitops-runtime/validator/preview"
	"gitops-runtime/validator/validatecmd"
)

const description = `Says what an upgrade changes before anything is touched: objects, with the value and line that cause each change; which pods restart, why, and with
which gaps in service; what Kubernetes or Helm refuses, and what is lost; who gains which access; images; hooks; and what a rollback undoes.

Before is the release on the cluster, or with --before a chart with values. After is the chart of --chart with the values of -f and --set; without
values, those of the release, as in helm upgrade. Nothing is written. Secrets are read by their names, and their content is never shown.

Exit codes: 0 fine, 1 the program failed, 2 usage, a release or a chart that cannot be read, 3 something that --fail-on names, 5 a question of a section
that --fail-on names got no answer.`

const examples = `  validate-values preview -f values.yaml --namespace codefresh --chart oci://registry.example.com/charts/gitops-runtime --version 1.2.3
  validate-values preview --namespace codefresh --set argo-cd.server.replicas=2 --reuse-values --fail-on breaks,gaps
  validate-values preview --before ./old-chart --before-values old.yaml --chart ./new-chart -f new.yaml -n codefresh --no-cluster -o markdown`

type options struct {
	validatecmd.Options
	before, beforeVersion string
	beforeValues          []string
	beforeSet             []string
	beforeRef             string
	revision              int
	reuse, resetThenReuse bool
	kubernetes            string
	apiVersions           []string
	failOn                []string
	all                   bool
	searchTime            time.Duration
}

// Command returns the command.
func Command(system validatecmd.System, code *int) *cobra.Command {
	var o options
	command := &cobra.Command{
		Use: "preview", Short: "Say what an upgrade changes, restarts and breaks", Long: description, Example: examples,
		Args: cobra.NoArgs, SilenceErrors: true, SilenceUsage: true,
		RunE: func(command *cobra.Command, _ []string) error {
			var err error
			*code, err = o.run(command.Context(), system)
			return err
		},
	}
	flags := command.Flags()
	o.RegisterInstall(flags, system.Registries)
	flags.Lookup("chart").Usage = "new chart: directory, .tgz file or oci:// reference (default: charts/gitops-runtime in this or a parent directory)"
	flags.BoolVar(&o.NoCluster, "no-cluster", false, "do not contact a cluster; needs --before")
	flags.StringVar(&o.before, "before", "", "chart to compare with, instead of the release on the cluster: directory, .tgz file or oci:// reference")
	flags.StringVar(&o.beforeVersion, "before-version", "", "version of --before to pull from the registry")
	flags.StringSliceVar(&o.beforeValues, "before-values", nil, "values file of --before (may be repeated; default: the values of -f and --set)")
	flags.StringArrayVar(&o.beforeSet, "before-set", nil, "value of --before, as --set")
	flags.StringVar(&o.beforeRef, "before-ref", "", "revision of Git, such as origin/main: compare with the files of -f as they are there, with the chart of --before or --chart")
	flags.IntVar(&o.revision, "revision", 0, "revision of the release to compare with (default: the one that helm upgrade replaces)")
	flags.BoolVar(&o.reuse, "reuse-values", false, "as in helm upgrade: the release's values and its chart's defaults, below those that are given")
	flags.BoolVar(&o.resetThenReuse, "reset-then-reuse-values", false, "as in helm upgrade: the release's values below those that are given")
	flags.StringVar(&o.kubernetes, "kube-version", "", "version of Kubernetes (default: that of the cluster)")
	flags.StringSliceVarP(&o.apiVersions, "api-versions", "a", nil, "API versions that the cluster serves, for templates (may be repeated)")
	flags.StringSliceVar(&o.failOn, "fail-on", nil, "exit with 3 if there are any: "+strings.Join(preview.Alarms(), ", "))
	cli.Complete(command, "fail-on", preview.Alarms())
	flags.BoolVar(&o.all, "all", false, "show all fields of an object in text")
	flags.DurationVar(&o.searchTime, "search", 1200*time.Millisecond, "time to look for the values that cause changes")
	flags.StringArrayVarP(&o.Outputs, "output", "o", []string{"text"}, "report format text, short, json, markdown or html; with =FILE into a file (may be repeated)")
	flags.DurationVar(&o.Timeout, "timeout", time.Minute, "timeout of the whole run")
	return command
}

func (o options) run(ctx context.Context, system validatecmd.System) (int, error) {
	outputs, err := o.outputs()
	if err != nil {
		return 0, validatecmd.Failure(validatecmd.ExitUsage, err)
	}
	if err := o.check(); err != nil {
		return 0, validatecmd.Failure(validatecmd.ExitUsage, err)
	}
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	hidden := preview.NewHidden()
	report, err := o.compare(ctx, system, hidden)
	if err != nil {
		code := validatecmd.ExitUsage
		if ctx.Err() != nil {
			code, err = validatecmd.ExitError, fmt.Errorf("the run was interrupted, or took longer than --timeout %s: %w", o.Timeout, err)
		}
		return 0, validatecmd.Failure(code, errors.New(hidden.Block(err.Error())))
	}
	for _, one := range outputs {
		if err := one.write(system.Out, report); err != nil {
			return 0, validatecmd.Failure(validatecmd.ExitError, fmt.Errorf("report: %w", err))
		}
	}
	return o.verdict(report), nil
}

func (o options) check() error {
	if err := o.Names(); err != nil {
		return err
	}
	for _, word := range o.failOn {
		if !slices.Contains(preview.Alarms(), strings.TrimSpace(word)) {
			return fmt.Errorf("--fail-on %q is not a word that it knows; choose from %s", word, strings.Join(preview.Alarms(), ", "))
		}
	}
	if o.kubernetes != "" {
		if _, err := semver.NewVersion(o.kubernetes); err != nil {
			return fmt.Errorf("--kube-version %q is not a version such as 1.34.4", o.kubernetes)
		}
	}
	switch {
	case o.fromRelease() && o.NoCluster:
		return errors.New("without a cluster there is no release to compare with; name the chart of the release with --before")
	case strings.HasPrefix(o.beforeRef, "-") || o.beforeRef != "" && len(o.beforeValues)+len(o.beforeSet) > 0:
		return errors.New("--before-ref takes a revision of Git, such as origin/main, and excludes --before-values and --before-set")
	case o.before == "" && len(o.beforeValues)+len(o.beforeSet) > 0:
		return errors.New("--before-values and --before-set need --before; the release on the cluster has its own values")
	case !o.fromRelease() && (o.reuse || o.resetThenReuse || o.revision != 0):
		return errors.New("--reuse-values, --reset-then-reuse-values and --revision are for a release on the cluster, not for --before and --before-ref")
	case o.reuse && o.resetThenReuse:
		return errors.New("--reuse-values and --reset-then-reuse-values exclude each other")
	}
	return nil
}

// fromRelease reports whether the side before is the release on the cluster.
func (o options) fromRelease() bool { return o.before == "" && o.beforeRef == "" }

// verdict returns the exit code.
func (o options) verdict(report preview.Report) int {
	sections := map[string]string{
		"restarts": "restarts", "gaps": "restarts", "rights": "reach", "connections": "reach", "secrets": "reach",
		"breaks": "breaks", "images": "images", "vulnerabilities": "images", "removals": "objects", "changes": "objects",
	}
	code := validatecmd.ExitOK
	for _, word := range o.failOn {
		word = strings.TrimSpace(word)
		if report.Count(word) > 0 {
			return validatecmd.ExitFailed
		}
		if report.Section(sections[word]).Failed {
			code = validatecmd.ExitInconclusive
		}
	}
	return code
}

// output is a format with its file, "" for standard output.
type output struct {
	format preview.Format
	file   string
}

func (o options) outputs() ([]output, error) {
	var all []output
	screens := 0
	for _, argument := range o.Outputs {
		name, file, named := strings.Cut(argument, "=")
		format, known := preview.Formats(o.all)[name]
		switch {
		case !known:
			return nil, fmt.Errorf("-o %s: unknown report format %q; choose from text, short, json, markdown, html", argument, name)
		case named && file == "":
			return nil, fmt.Errorf("-o %s: the file name after the = is missing", argument)
		case !named:
			screens++
		}
		all = append(all, output{format, file})
	}
	if screens > 1 {
		return nil, errors.New("-o: only one report can go to the screen; give the others a file, as in -o html=preview.html")
	}
	return all, nil
}

func (o output) write(screen io.Writer, report preview.Report) error {
	if o.file == "" {
		return o.format(screen, report)
	}
	into, err := outfile.Create(o.file, 0o644)
	if err != nil {
		return err
	}
	if err := o.format(into, report); err != nil {
		return errors.Join(err, into.Abandon())
	}
	return into.Finish()
}

// step tells on standard error what a run does that takes long.
func step(system validatecmd.System, what string) (done func()) {
	timer := time.AfterFunc(2*time.Second, func() { fmt.Fprintf(system.Err, "validate-values: still busy: %s\n", cleantext.Line(what)) })
	return func() { timer.Stop() }
}
