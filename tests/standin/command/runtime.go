package command

import (
	"context"
	"flag"
	"fmt"
	"net"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"gitops-runtime/tests/standin/appproxy"
	"gitops-runtime/tests/standin/gateway"
	"gitops-runtime/tests/standin/kube"
	"gitops-runtime/tests/standin/operator"
	"gitops-runtime/tests/standin/reporter"
	"gitops-runtime/tests/standin/settings"
)

// Times between retries, and between checks that Argo CD still accepts its API key.
const (
	pause = time.Second
	check = 15 * time.Second
)

// noArguments rejects arguments: the chart sets none for these programs.
func noArguments(name string, args []string) error {
	rest, err := parse(flag.NewFlagSet(name, flag.ContinueOnError), args)
	if err == nil && len(rest) > 0 {
		err = UsageError{Message: fmt.Sprintf("%s: takes no arguments, and has %q", name, rest[0])}
	}
	return err
}

// connect returns a client of the Secrets of a namespace, the pod's namespace if it is empty.
func connect(namespace, manager string) (kube.Secrets, error) {
	config, err := kube.InCluster()
	if err != nil {
		return kube.Secrets{}, err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return kube.Secrets{}, fmt.Errorf("connecting to the cluster: %w", err)
	}
	if namespace == "" {
		if namespace, err = kube.Namespace(); err != nil {
			return kube.Secrets{}, err
		}
	}
	return kube.Secrets{Client: client, Namespace: namespace, Manager: manager}, nil
}

// together runs parts of a program until one fails or ctx ends.
func together(ctx context.Context, parts ...func(context.Context) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, part := range parts {
		group.Go(func() error { return part(ctx) })
	}
	return group.Wait()
}

// at returns the address of a port; an empty host is every address.
func at(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }

func runAppProxyInit(ctx context.Context, args []string, streams Streams) error {
	if err := noArguments("app-proxy-init", args); err != nil {
		return err
	}
	var given appproxy.InitSettings
	if err := settings.Read(&given, streams.LookupEnv); err != nil {
		return err
	}
	return appproxy.Join(ctx, given, streams.log())
}

func runAppProxy(ctx context.Context, args []string, streams Streams) error {
	if err := noArguments("app-proxy", args); err != nil {
		return err
	}
	var given appproxy.Settings
	if err := settings.Read(&given, streams.LookupEnv); err != nil {
		return err
	}
	secrets, err := connect(given.Namespace, "app-proxy")
	if err != nil {
		return err
	}
	program, err := appproxy.New(given, secrets, streams.log())
	if err != nil {
		return err
	}
	return together(ctx,
		func(ctx context.Context) error { return program.Work(ctx, pause, check) },
		func(ctx context.Context) error {
			return listenOn(ctx, "app-proxy", at("", program.Port()), program.Handler(), streams)
		})
}

func runOperator(ctx context.Context, args []string, streams Streams) error {
	if err := noArguments("gitops-operator", args); err != nil {
		return err
	}
	var given operator.Settings
	if err := settings.Read(&given, streams.LookupEnv); err != nil {
		return err
	}
	secrets, err := connect(given.Namespace, "gitops-operator")
	if err != nil {
		return err
	}
	program, err := operator.New(given, secrets, streams.log())
	if err != nil {
		return err
	}
	return together(ctx,
		func(ctx context.Context) error { return program.Work(ctx, pause) },
		func(ctx context.Context) error {
			return listenOn(ctx, "gitops-operator", given.HealthAddress, program.Handler(), streams)
		},
		func(ctx context.Context) error {
			return listenOn(ctx, "gitops-operator metrics", given.MetricsAddress, metrics("gitops-operator"), streams)
		})
}

// runArgoCDExtras runs the program of the image that BINARY_NAME names.
func runArgoCDExtras(ctx context.Context, args []string, streams Streams) error {
	if err := noArguments("argocd-extras", args); err != nil {
		return err
	}
	var given struct {
		Binary string `env:"BINARY_NAME,required"`
	}
	if err := settings.Read(&given, streams.LookupEnv); err != nil {
		return err
	}
	switch given.Binary {
	case "argo-gateway":
		return runGateway(ctx, streams)
	case "event-reporter":
		return runReporter(ctx, streams)
	default:
		return fmt.Errorf("set the environment variable BINARY_NAME to argo-gateway or event-reporter: it is %q", given.Binary)
	}
}

func runGateway(ctx context.Context, streams Streams) error {
	var given gateway.Settings
	if err := settings.Read(&given, streams.LookupEnv); err != nil {
		return err
	}
	secrets, err := connect("", "argo-gateway")
	if err != nil {
		return err
	}
	program, err := gateway.New(given, secrets, streams.log())
	if err != nil {
		return err
	}
	return together(ctx,
		func(ctx context.Context) error { return program.Work(ctx, pause) },
		func(ctx context.Context) error {
			return listenOn(ctx, "argo-gateway", at(given.ListenAddress, given.HTTP), program.Handler(), streams)
		})
}

func runReporter(ctx context.Context, streams Streams) error {
	var given reporter.Settings
	if err := settings.Read(&given, streams.LookupEnv); err != nil {
		return err
	}
	secrets, err := connect("", "event-reporter")
	if err != nil {
		return err
	}
	config, err := kube.InCluster()
	if err != nil {
		return err
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("connecting to the cluster: %w", err)
	}
	program, err := reporter.New(given, reporter.Options{Objects: objects, Secrets: secrets, Namespace: secrets.Namespace, Log: streams.log(), Pause: pause})
	if err != nil {
		return err
	}
	return together(ctx, program.Work,
		func(ctx context.Context) error {
			return listenOn(ctx, "event-reporter", at(given.ListenAddress, given.HTTP), program.Handler(), streams)
		},
		func(ctx context.Context) error {
			return listenOn(ctx, "event-reporter metrics", at(given.MetricsAddress, given.Metrics), metrics("event-reporter"), streams)
		})
}
