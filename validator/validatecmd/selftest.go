package validatecmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gitops-runtime/internal/netfail"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/selftest"
)

// testOptions are the flags that all tests have.
type testOptions struct {
	namespace, caFile string
	timeout           time.Duration
}

// testCommand returns the command of the chart's test hooks, with a subcommand for each.
func testCommand(system System, code *int) *cobra.Command {
	var options testOptions
	parent := &cobra.Command{Use: "test", Short: "Run as one of the chart's test hooks, in a pod", Hidden: true, Args: cobra.NoArgs}
	flags := parent.PersistentFlags()
	flags.StringVarP(&options.namespace, "namespace", "n", "", "namespace of the release (POD_NAMESPACE)")
	flags.StringVar(&options.caFile, "ca-file", "", "CA certificates of the platform")
	flags.DurationVar(&options.timeout, "timeout", 2*time.Minute, "timeout of the whole test")
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

// addTest adds a test whose flags cannot be invalid.
func addTest[Options any](add adder, name string, test func(context.Context, selftest.Surroundings, Options, *selftest.Report), flags func(*pflag.FlagSet, *Options)) {
	var options Options
	command := &cobra.Command{Use: name}
	flags(command.Flags(), &options)
	add(command, func(ctx context.Context, s selftest.Surroundings, report *selftest.Report) error {
		test(ctx, s, options, report)
		return nil
	})
}

func addAppProxy(add adder, system System) {
	test := func(ctx context.Context, s selftest.Surroundings, options selftest.AppProxyOptions, report *selftest.Report) {
		options.Token = system.Getenv("RUNTIME_TOKEN")
		selftest.AppProxy(ctx, s, options, report)
	}
	addTest(add, "app-proxy", test, func(flags *pflag.FlagSet, options *selftest.AppProxyOptions) {
		flags.StringVar(&options.URL, "url", "", "address of app-proxy")
		flags.StringVar(&options.Runtime, "runtime", "", "name of the runtime")
		flags.StringVar(&options.Platform, "platform", "", "URL of the platform")
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
	addTest(add, "access", selftest.Access, func(flags *pflag.FlagSet, options *selftest.AccessOptions) {
		flags.StringVar(&options.Mode, "mode", "", "access mode")
		flags.StringVar(&options.URL, "url", "", "public URL of the runtime")
		flags.StringVar(&options.Path, "path", "/", "path to request")
		flags.StringVar(&options.Target, "target", "", "address of app-proxy")
	})
}

// addArgo adds the tests of Argo's projects.
func addArgo(add adder) {
	const created = "name of what the test creates"
	addTest(add, "argo-cd", selftest.ArgoCD, func(flags *pflag.FlagSet, options *selftest.ArgoCDOptions) {
		flags.StringVar(&options.URL, "url", "", "address of Argo CD's server")
		flags.StringVar(&options.Repository, "repository", "", "address of this pod's Service; empty to create no Application")
		flags.StringVar(&options.Without, "without", "", "reason why no Application is created")
		flags.StringVar(&options.Name, "name", "test-argo-cd", created)
	})
	addTest(add, "argo-workflows", selftest.Workflows, func(flags *pflag.FlagSet, options *selftest.WorkflowsOptions) {
		flags.StringVar(&options.Name, "name", "test-argo-workflows-step", created)
		flags.StringVar(&options.Account, "account", "", "service account of the step")
		flags.StringVar(&options.InstanceID, "instance-id", "", "instance id of the controller")
	})
	addTest(add, "argo-rollouts", selftest.Rollouts, func(flags *pflag.FlagSet, options *selftest.RolloutsOptions) {
		flags.StringVar(&options.Name, "name", "test-argo-rollouts", created)
		flags.StringVar(&options.InstanceID, "instance-id", "", "instance id of the controller")
	})
	addTest(add, "argo-events", selftest.Events, func(flags *pflag.FlagSet, options *selftest.EventsOptions) {
		flags.StringVar(&options.Name, "name", "test-argo-events", created)
		flags.StringVar(&options.Bus, "bus", "latest", "version of JetStream")
		flags.StringVar(&options.Endpoint, "endpoint", "", "path of the event source")
		flags.StringVar(&options.Post, "post", "", "address of the event source")
		flags.StringVar(&options.Trigger, "trigger", "", "address of this pod's Service")
	})
}

func serveCommand() *cobra.Command {
	return &cobra.Command{
		Use: "serve", Short: "Respond to every request, in a pod that a test creates", Args: cobra.NoArgs,
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
	command.Flags().StringVar(&run, "run", "", "identifier of the test run")
	return command
}

// run runs one test and returns the exit code.
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

// surroundings returns the surroundings of a test in this pod.
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
	// tests that send only network requests have no service account
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
