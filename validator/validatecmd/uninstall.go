package validatecmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"gitops-runtime/internal/netfail"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/platform"
	"gitops-runtime/validator/uninstall"
)

// uninstallTime is the time limit of all steps together; that of the hook's Job is slightly longer.
const uninstallTime = 100 * time.Second

// UninstallOptions are the flags of the uninstall hooks. Credentials come from the environment: USER_TOKEN.
type UninstallOptions struct {
	Namespace string
	// Deregister removes the runtime RUNTIME_NAME from the platform CODEFRESH_URL.
	Deregister bool
	// Registrar is the workload that registers the runtime, see cluster.ParseObject; it may be empty.
	Registrar string
	// CAFile contains additional CA certificates of the platform, PEM; it may not exist.
	CAFile string
	// Delete are objects, see cluster.ParseObject.
	Delete []string
	// ReleaseLabeled are objects whose finalizers are removed, and DeleteLabeled objects that are deleted, see cluster.ParseLabeled.
	ReleaseLabeled, DeleteLabeled []string
	// Patience is the time limit for each object.
	Patience time.Duration
}

func uninstallCommand(system System) *cobra.Command {
	var options UninstallOptions
	command := &cobra.Command{
		Use: "uninstall", Short: "Run as the chart's uninstall hooks, in a pod", Args: cobra.NoArgs, Hidden: true,
		RunE: func(command *cobra.Command, _ []string) error {
			return Uninstall(command.Context(), options, system)
		},
	}
	flags := command.Flags()
	flags.StringVarP(&options.Namespace, "namespace", "n", "", "namespace of the release (POD_NAMESPACE)")
	flags.BoolVar(&options.Deregister, "deregister", false, "remove the runtime from the platform")
	flags.StringVar(&options.Registrar, "registrar", "", "workload that registers the runtime, resource.version[.group]/name")
	flags.StringVar(&options.CAFile, "ca-file", "", "CA certificates of the platform")
	flags.StringArrayVar(&options.Delete, "delete", nil, "object to delete, resource.version[.group]/name (may be repeated)")
	flags.StringArrayVar(&options.ReleaseLabeled, "release-labeled", nil, "objects whose finalizers are removed, resource.version[.group]?key=value (may be repeated)")
	flags.StringArrayVar(&options.DeleteLabeled, "delete-labeled", nil, "objects to delete, resource.version[.group]?key=value (may be repeated)")
	flags.DurationVar(&options.Patience, "patience", 20*time.Second, "timeout for each object")
	return command
}

// Uninstall does what Helm cannot. Only invalid flags are an error: a failed step is reported and never stops an uninstall.
func Uninstall(ctx context.Context, options UninstallOptions, system System) error {
	plan := uninstall.Plan{Namespace: options.Namespace, Patience: options.Patience, Pause: 500 * time.Millisecond}
	if plan.Namespace == "" {
		plan.Namespace = system.Getenv("POD_NAMESPACE")
	}
	if plan.Namespace == "" {
		return usage(errors.New("no namespace: set POD_NAMESPACE, by the downward API, or give --namespace"))
	}
	for _, text := range options.Delete {
		object, err := cluster.ParseObject(text)
		if err != nil {
			return usage(err)
		}
		plan.Objects = append(plan.Objects, object)
	}
	if options.Registrar != "" {
		registrar, err := cluster.ParseObject(options.Registrar)
		if err != nil {
			return usage(err)
		}
		plan.Registrar = &registrar
	}
	var err error
	if plan.Release, err = labeled(options.ReleaseLabeled); err != nil {
		return err
	}
	if plan.Labeled, err = labeled(options.DeleteLabeled); err != nil {
		return err
	}
	if len(plan.Objects)+len(plan.Release)+len(plan.Labeled) > 0 || options.Deregister {
		found, _, err := system.Connect(ctx, Connection{InCluster: true})
		if err != nil {
			return broken(err)
		}
		plan.Cluster = found
	}
	if options.Deregister {
		plan.Runtime, plan.Platform = system.Getenv("RUNTIME_NAME"), account(options, system)
	}
	ctx, cancel := context.WithTimeout(ctx, uninstallTime)
	defer cancel()
	if failed := uninstall.Run(ctx, plan, system.Out); failed > 0 {
		fmt.Fprintf(system.Out, "%d steps need manual cleanup; the uninstall continues\n", failed)
	}
	return nil
}

func labeled(texts []string) ([]cluster.Labeled, error) {
	var all []cluster.Labeled
	for _, text := range texts {
		one, err := cluster.ParseLabeled(text)
		if err != nil {
			return nil, usage(err)
		}
		all = append(all, one)
	}
	return all, nil
}

// account returns the platform, or noToken without a user token.
func account(options UninstallOptions, system System) uninstall.Platform {
	token := system.Getenv("USER_TOKEN")
	if token == "" {
		return noToken{}
	}
	authorities, err := os.ReadFile(options.CAFile)
	if err != nil {
		authorities = nil // without a CA file the platform is verified with public CAs
	}
	return &platform.Client{
		URL: system.Getenv("CODEFRESH_URL"), Token: token,
		HTTP: netfail.Client(netfail.Settings{
			HTTPProxy: system.Getenv("HTTP_PROXY"), HTTPSProxy: system.Getenv("HTTPS_PROXY"), NoProxy: system.Getenv("NO_PROXY"),
			Authorities: authorities,
		}),
	}
}

// noToken replaces the platform if the user token's Secret is missing.
type noToken struct{}

// Runtime returns an error because no token is available.
func (noToken) Runtime(context.Context, string) (*platform.Runtime, error) {
	return nil, errors.New("no user token is available for the platform")
}

// DeleteRuntime is never called.
func (noToken) DeleteRuntime(context.Context, string) error {
	return errors.New("no user token is available for the platform")
}
