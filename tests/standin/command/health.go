package command

import (
	"context"
	"flag"
	"net/http"

	"golang.org/x/sync/errgroup"

	"gitops-runtime/tests/standin/serve"
)

// runHealth is a stand-in for a program of which only the probes are known.
func runHealth(ctx context.Context, args []string, streams Streams) error {
	flags := flag.NewFlagSet("health", flag.ContinueOnError)
	var addresses []string
	flags.Func("listen", "address; may be given several times", func(address string) error {
		addresses = append(addresses, address)
		return nil
	})
	if _, err := parse(flags, args); err != nil {
		return err
	}
	if len(addresses) == 0 {
		return UsageError{Message: "health: give at least one -listen ADDRESS"}
	}
	streams.log().InfoContext(ctx, "this is a stand-in of a program of the platform: it answers health checks and does nothing else")
	handler := http.NewServeMux()
	for _, path := range []string{"/healthz", "/readyz"} {
		handler.HandleFunc("GET "+path, serve.Alive)
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, address := range addresses {
		group.Go(func() error { return listenOn(ctx, "health", address, handler, streams) })
	}
	return group.Wait()
}
