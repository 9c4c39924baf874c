package validatecmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"gitops-runtime/internal/netfail"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/selftest"
)

// testOptions are the flags that all tests have.
type testOptions struct {
	namespace, caFile string
	timeout           time.Duration
}

// testCommand are the chart's test hooks, one command for each.
func testCommand(system System, code *int) *cobra.Command {
	var options testOptions
	parent := &cobra.Command{Use: "test", Short: "Run as one of the chart's test hooks, in a pod", Hidden: true, Args: cobra.NoArgs}
	flags := parent.PersistentFlags()
	flags.StringVarP(&options.namespace, "namespace", "n", "", "namespace of the release (POD_NAMESPACE)")
	flags.StringVar(&options.caFile, "ca-file", "", "CA certificates of the platform")
	flags.DurationVar(&options.timeout, "timeout", 2*time.Minute, "time for the whole test")
	hook := func(command *cobra.Command, test func(context.Context, selftest.Surroundings, *selftest.Report) error) {
		command.Args = cobra.NoArgs
		command.RunE = func(command *cobra.Command, _ []string) error {
			var err error
			*code, err = options.run(command.Context(), command.Name(), test, system)
			return err
		}
		parent.AddCommand(command)
	}
	addComponents(hook)
	addAppProxy(hook, system)
	addRouter(hook)
	addAccess(hook)
	addArgo(hook)
	parent.AddCommand(serveCommand(), stepCommand(system))
	return parent
}

// adder adds a command with the test that it runs.
type adder func(*cobra.Command, func(context.Context, selftest.Surroundings, *selftest.Report) error)

func addComponents(add adder) {
	var workloads []string
	command := &cobra.Command{Use: "components"}
	command.Flags().StringArrayVar(&workloads, "workload", nil, "workload, resource.version.group/name (may be repeated)")
	add(command, func(ctx context.Context, s selftest.Surroundings, report *selftest.Report) error {
		var objects []cluster.Object
		for _, text := range workloads {
			one, err := cluster.ParseObject(text)
			if err != nil {
				return usage(err)
			}
			objects = append(objects, one)
		}
		selftest.Components(ctx, s, objects, report)
		return nil
	})
}

func addAppProxy(add adder, system System) {
	var options selftest.AppProxyOptions
	command := &cobra.Command{Use: "app-proxy"}
	command.Flags().StringVar(&options.URL, "url", "", "address of app-proxy")
	command.Flags().StringVar(&options.Runtime, "runtime", "", "name of the runtime")
	command.Flags().StringVar(&options.Platform, "platform", "", "URL of the platform")
	add(command, func(ctx context.Context, s selftest.Surroundings, report *selftest.Report) error {
		options.Token = system.Getenv("RUNTIME_TOKEN")
		selftest.AppProxy(ctx, s, options, report)
		return nil
	})
}

func addRouter(add adder) {
	var options selftest.RouterOptions
	var routes []string
	command := &cobra.Command{Use: "router"}
	command.Flags().StringVar(&options.URL, "url", "", "address of internal-router")
	command.Flags().StringArrayVar(&routes, "route", nil, "/path=http://target/path (may be repeated)")
	command.Flags().StringArrayVar(&options.Sources, "source", nil, "path of an event source that does not exist (may be repeated)")
	add(command, func(ctx context.Context, s selftest.Surroundings, report *selftest.Report) error {
		for _, text := range routes {
			route, err := selftest.ParseRoute(text)
			if err != nil {
				return usage(err)
			}
			options.Routes = append(options.Routes, route)
		}
		selftest.Router(ctx, s, options, report)
		return nil
	})
}

func addAccess(add adder) {
	var options selftest.AccessOptions
	command := &cobra.Command{Use: "access"}
	command.Flags().StringVar(&options.Mode, "mode", "", "access mode")
	command.Flags().StringVar(&options.URL, "url", "", "public URL of the runtime")
	command.Flags().StringVar(&options.Path, "path", "/", "path that is asked")
	command.Flags().StringVar(&options.Target, "target", "", "address of app-proxy")
	add(command, func(ctx context.Context, s selftest.Surroundings, report *selftest.Report) error {
		selftest.Access(ctx, s, options, report)
		return nil
	})
}

// addArgo adds the tests of Argo's projects.
func addArgo(add adder) {
	var cd selftest.ArgoCDOptions
	command := &cobra.Command{Use: "argo-cd"}
	command.Flags().StringVar(&cd.URL, "url", "", "address of Argo CD's server")
	command.Flags().StringVar(&cd.Repository, "repository", "", "address of this pod's Service; empty for no application")
	command.Flags().StringVar(&cd.Without, "without", "", "why there is no application")
	command.Flags().StringVar(&cd.Name, "name", "test-argo-cd", "name of what the test creates")
	add(command, func(ctx context.Context, s selftest.Surroundings, report *selftest.Report) error {
		selftest.ArgoCD(ctx, s, cd, report)
		return nil
	})

	var workflows selftest.WorkflowsOptions
	command = &cobra.Command{Use: "argo-workflows"}
	command.Flags().StringVar(&workflows.Name, "name", "test-argo-workflows-step", "name of what the test creates")
	command.Flags().StringVar(&workflows.Account, "account", "", "service account of the step")
	command.Flags().StringVar(&workflows.InstanceID, "instance-id", "", "instance id of the controller")
	add(command, func(ctx context.Context, s selftest.Surroundings, report *selftest.Report) error {
		selftest.Workflows(ctx, s, workflows, report)
		return nil
	})

	var rollout string
	command = &cobra.Command{Use: "argo-rollouts"}
	command.Flags().StringVar(&rollout, "name", "test-argo-rollouts", "name of what the test creates")
	add(command, func(ctx context.Context, s selftest.Surroundings, report *selftest.Report) error {
		selftest.Rollouts(ctx, s, rollout, report)
		return nil
	})

	var events selftest.EventsOptions
	command = &cobra.Command{Use: "argo-events"}
	command.Flags().StringVar(&events.Name, "name", "test-argo-events", "name of what the test creates")
	command.Flags().StringVar(&events.Bus, "bus", "latest", "version of JetStream")
	command.Flags().StringVar(&events.Endpoint, "endpoint", "", "path of the event source")
	command.Flags().StringVar(&events.Post, "post", "", "address that leads to the event source")
	command.Flags().StringVar(&events.Trigger, "trigger", "", "address of this pod's Service")
	add(command, func(ctx context.Context, s selftest.Surroundings, report *selftest.Report) error {
		selftest.Events(ctx, s, events, report)
		return nil
	})
}

func serveCommand() *cobra.Command {
	return &cobra.Command{
		Use: "serve", Short: "Answer every request, in a pod that a test creates", Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := selftest.Serve(command.Context(), selftest.Listen); err != nil {
				return broken(err)
			}
			return nil
		},
	}
}

func stepCommand(system System) *cobra.Command {
	var run string
	command := &cobra.Command{
		Use: "step", Short: "Print a line, as the step of a Workflow that a test creates", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return show(system.Out, "the step of "+run+" runs\n") },
	}
	command.Flags().StringVar(&run, "run", "", "the run of the test")
	return command
}

// run runs one test and gives the exit code.
func (o testOptions) run(ctx context.Context, name string, test func(context.Context, selftest.Surroundings, *selftest.Report) error, system System) (int, error) {
	s, err := o.surroundings(ctx, system)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	report := selftest.NewReport(system.Out, fmt.Sprintf("validate-values %s: test of %s in namespace %s", system.Version, name, s.Namespace))
	if err := test(ctx, s, report); err != nil {
		return 0, err
	}
	if !report.Close() {
		return ExitFailed, nil
	}
	return ExitOK, nil
}

// surroundings are those of a pod.
func (o testOptions) surroundings(ctx context.Context, system System) (selftest.Surroundings, error) {
	s := selftest.Surroundings{
		Namespace: o.namespace, Listen: selftest.Listen, Pause: 500 * time.Millisecond, Closing: 20 * time.Second,
		Run: fmt.Sprintf("r%x", time.Now().UnixNano()),
	}
	if s.Namespace == "" {
		s.Namespace = system.Getenv("POD_NAMESPACE")
	}
	if s.Namespace == "" {
		return s, usage(errors.New("no namespace: set POD_NAMESPACE, by the downward API, or give --namespace"))
	}
	var err error
	if text := system.Getenv("TEST_POD"); text != "" {
		if s.Pod, err = selftest.ParsePod(text); err != nil {
			return s, usage(err)
		}
	}
	if s.Program, err = os.Executable(); err != nil {
		return s, broken(fmt.Errorf("path of this program: %w", err))
	}
	// tests that only ask over the network have no account of the API server
	if found, _, err := system.Connect(ctx, Connection{InCluster: true}); err == nil {
		s.Cluster = found
	} else {
		s.Cluster = selftest.NoCluster{Err: err}
	}
	settings := netfail.Settings{
		HTTPProxy: system.Getenv("HTTP_PROXY"), HTTPSProxy: system.Getenv("HTTPS_PROXY"), NoProxy: system.Getenv("NO_PROXY"),
	}
	if o.caFile != "" {
		settings.Authorities, err = os.ReadFile(o.caFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // its Secret is optional
			return s, usage(fmt.Errorf("CA certificates: %w", err))
		}
	}
	s.HTTP = netfail.Client(settings)
	settings.Unverified = true
	s.Unverified = netfail.Client(settings)
	return s, nil
}
