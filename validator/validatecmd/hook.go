package validatecmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/validator/checks"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/hook"
	"gitops-runtime/validator/report"
)

// HookOptions are the flags of the hook; flags that are not set have defaults from the environment.
type HookOptions struct {
	Options
	// Job is the name of the hook Job, for the Event.
	Job string
	// TerminationLog is the file of the termination message, "" for none.
	TerminationLog string
	// Remove are objects that were created for the Job, see hook.Resources.
	Remove []string
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
	flags.StringArrayVar(&options.Remove, "remove", nil, "object of the Job, resource.version[.group]/name, to delete when the values are rejected; the first owns the others (may be repeated)")
	flags.StringArrayVarP(&options.Outputs, "output", "o", []string{"text"}, "report format")
	flags.DurationVar(&options.Timeout, "timeout", runTime, "timeout of the whole run")
	return command
}

// complete sets options without a flag from the environment.
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
			return errors.New("IS_UPGRADE has to be true or false")
		}
		o.Upgrade = upgrade
	}
	return nil
}

// closing is the time limit for the Event and for the removal of the objects of the Job; closingShort applies if the run has been interrupted or has
// used up its time.
const (
	closing      = 5 * time.Second
	closingShort = 800 * time.Millisecond
)

// Hook checks the values that Helm has merged. An inconclusive check stops the install only if the install depends on it. After a rejection only the Job
// with its log remains of the hook's objects.
func Hook(ctx context.Context, options HookOptions, system System) (int, error) {
	outputs, err := ParseOutputs(options.Outputs, false, system.Formats)
	if err != nil {
		return 0, usage(err)
	}
	var resources hook.Resources
	for _, text := range options.Remove {
		object, err := cluster.ParseObject(text)
		if err != nil {
			return 0, usage(err)
		}
		resources = append(resources, object)
	}
	found, _, err := system.Connect(ctx, Connection{InCluster: true})
	if err != nil {
		return 0, broken(err)
	}
	end := time.Now().Add(options.Timeout)
	report, err := options.check(ctx, found, outputs, system)
	code := ExitError
	if err == nil {
		code = Verdict(report.Results, false, true)
	}
	if code == ExitOK {
		return code, nil
	}
	ctx, cancel := closingContext(ctx, end)
	defer cancel()
	warn := func(err error) {
		if err != nil {
			fmt.Fprintln(system.Err, "validate-values:", cleantext.Message(err.Error()))
		}
	}
	if err == nil {
		warn(hook.Announce(ctx, found, options.Namespace, options.Job, report))
	}
	warn(resources.Remove(ctx, options.Namespace, found))
	return code, err
}

// check runs the checks and writes the report to the log and the termination message.
func (o HookOptions) check(ctx context.Context, found checks.Cluster, outputs Outputs, system System) (report.Report, error) {
	loaded, err := helmvalues.Load(ctx, o.Values)
	if err != nil {
		return report.Report{}, usage(err)
	}
	outcome, err := run(ctx, checks.Subject{
		Values: helmvalues.New(loaded.Tree), Cluster: found, InHook: true,
		Namespace: o.Namespace, Release: o.Release, Upgrade: o.Upgrade,
	}, o.Options, system)
	if err != nil {
		return report.Report{}, err
	}
	if err := outputs.Write(outcome, system.Out); err != nil {
		return report.Report{}, broken(err)
	}
	if err := hook.Leave(o.TerminationLog, outcome); err != nil {
		fmt.Fprintln(system.Err, "validate-values:", cleantext.Message(err.Error()))
	}
	return outcome, nil
}

// closingContext returns a context that outlives the run's. Its time limit is short if the run is interrupted or its time, which ends at end, is used
// up.
func closingContext(ctx context.Context, end time.Time) (context.Context, context.CancelFunc) {
	limit := max(closingShort, min(closing, time.Until(end)+closingShort))
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(closingShort, cancel) })
	return last, func() { stop(); cancel() }
}
