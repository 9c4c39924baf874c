package command

import (
	"context"
	"flag"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"gitops-runtime/tests/standin/elector"
)

// runElector parses the flags that the chart sets for app-proxy's leader elector sidecar.
func runElector(ctx context.Context, args []string, streams Streams) error {
	flags := flag.NewFlagSet("leader-elector", flag.ContinueOnError)
	address := flags.String("listen", fmt.Sprintf(":%d", elector.Port), "address")
	options := elector.Options{Log: streams.log()}
	flags.StringVar(&options.ID, "id", "", "the candidate's name")
	flags.StringVar(&options.Name, "lease-name", "", "name of the Lease")
	flags.StringVar(&options.Namespace, "namespace", "", "namespace of the Lease")
	flags.DurationVar(&options.Duration, "lease-duration", 15*time.Second, "how long others wait for a holder that renews no more")
	flags.DurationVar(&options.Renewal, "lease-renew-duration", 10*time.Second, "how long a holder tries to renew")
	if _, err := parse(flags, args); err != nil {
		return err
	}
	if options.ID == "" || options.Name == "" || options.Namespace == "" {
		return UsageError{Message: "leader-elector: give -id, -lease-name and -namespace"}
	}
	cluster, err := rest.InClusterConfig()
	if err != nil {
		return fmt.Errorf("finding the cluster this runs in: %w", err)
	}
	if options.Client, err = kubernetes.NewForConfig(cluster); err != nil {
		return fmt.Errorf("connecting to the cluster: %w", err)
	}
	options.Log.InfoContext(ctx, "this is a stand-in of leader-elector", "lease", options.Name)
	candidate := elector.New(options)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return candidate.Run(ctx) })
	group.Go(func() error { return listenOn(ctx, "leader-elector", *address, candidate.Handler(), streams) })
	return group.Wait()
}
