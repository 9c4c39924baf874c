package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"gitops-runtime/validator/checks"
	"gitops-runtime/validator/hook"
	"gitops-runtime/validator/values"
)

// HookOptions are the flags of the hook; the environment fills those that are
// not given.
type HookOptions struct {
	Options
	// Job is the name of the hook Job, for the Event.
	Job string
	// TerminationLog is the file of the termination message, "" for none.
	TerminationLog string
}

func hookCommand(system System, code *int) *cobra.Command {
	var options HookOptions
	command := &cobra.Command{
		Use: "hook", Short: "Run as the chart's hook Job, in a pod", Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := options.complete(system.Getenv); err != nil {
				return usage(err)
			}
			var err error
			*code, err = Hook(command.Context(), options, system)
			return err
		},
	}
	flags := command.Flags()
	flags.StringSliceVarP(&options.Values.Files, "values", "f", []string{"/values/values.yaml"}, "the merged values")
	flags.StringVarP(&options.Namespace, "namespace", "n", "", "namespace of the release (POD_NAMESPACE)")
	flags.StringVar(&options.Release, "release", "", "name of the release (RELEASE_NAME)")
	flags.BoolVar(&options.Upgrade, "upgrade", false, "the release exists already (IS_UPGRADE)")
	flags.StringVar(&options.Job, "job", "validate-values", "name of the hook Job, for the Event")
	flags.StringVar(&options.TerminationLog, "termination-log", "/dev/termination-log", "file of the termination message")
	flags.StringArrayVarP(&options.Outputs, "output", "o", []string{"text"}, "report format")
	flags.DurationVar(&options.Timeout, "timeout", runTime, "time for the whole run")
	return command
}

// complete takes from the environment what no flag gave.
func (o *HookOptions) complete(getenv func(string) string) error {
	if o.Namespace == "" {
		o.Namespace = getenv("POD_NAMESPACE")
	}
	if o.Namespace == "" {
		return errors.New("no namespace: set POD_NAMESPACE, by the downward API, or give --namespace")
	}
	if o.Release == "" {
		o.Release = getenv("RELEASE_NAME")
	}
	if text := getenv("IS_UPGRADE"); text != "" && !o.Upgrade {
		upgrade, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("IS_UPGRADE is neither true nor false")
		}
		o.Upgrade = upgrade
	}
	return nil
}

// Hook checks the values that Helm has merged. A question that got no answer
// refuses the install only where it cannot go well without one.
func Hook(ctx context.Context, options HookOptions, system System) (int, error) {
	outputs, err := parseOutputs(options.Outputs, false)
	if err != nil {
		return 0, usage(err)
	}
	loaded, err := values.Load(ctx, options.Values)
	if err != nil {
		return 0, usage(err)
	}
	found, _, err := system.Connect(ctx, Connection{InCluster: true})
	if err != nil {
		return 0, broken(err)
	}
	subject := checks.Subject{
		Values: values.New(loaded.Tree), Cluster: found, InHook: true,
		Namespace: options.Namespace, Release: options.Release, Upgrade: options.Upgrade,
	}
	report, err := run(ctx, subject, options.Options, system)
	if err != nil {
		return 0, err
	}
	if err := outputs.write(report, system.Out); err != nil {
		return 0, broken(err)
	}
	code := verdict(report.Results, false, true)
	if err := hook.Leave(options.TerminationLog, report); err != nil {
		fmt.Fprintln(system.Err, "validate-values:", err)
	}
	if announcer, can := found.(hook.Announcer); can && code != ExitFine {
		if err := hook.Announce(ctx, announcer, options.Namespace, options.Job, report); err != nil {
			fmt.Fprintln(system.Err, "validate-values:", err)
		}
	}
	return code, nil
}
