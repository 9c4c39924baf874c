package command

import (
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"net/http"
	"os"

	"gitops-runtime/localcluster/standin/front"
	"gitops-runtime/tests/standin/platformapi"
	"gitops-runtime/tests/standin/serve"
)

// listenOn logs the address and serves a handler on it until ctx ends.
func listenOn(ctx context.Context, name, address string, tlsConfig *tls.Config, handler http.Handler, streams Streams) error {
	listener, err := serve.Listen(ctx, address, tlsConfig)
	if err != nil {
		return err
	}
	streams.log().InfoContext(ctx, "listening", "stand-in", name, "address", listener.Addr().String(), "tls", tlsConfig != nil)
	return serve.HTTP(ctx, listener, handler)
}

func runPlatform(ctx context.Context, args []string, streams Streams) error {
	flags := flag.NewFlagSet("platform", flag.ContinueOnError)
	address := flags.String("listen", ":8080", "address")
	seedFile := flags.String("seed", "", "file with accounts, users and runtimes")
	state := flags.String("state", "", "file that keeps registered runtimes over a restart")
	quiet := flags.Bool("no-test-api", false, "leave out /test/")
	if _, err := parse(flags, args); err != nil {
		return err
	}
	options := platformapi.Options{StateFile: *state, NoTestAPI: *quiet, Log: streams.log()}
	if *seedFile != "" {
		document, err := os.ReadFile(*seedFile)
		if err != nil {
			return fmt.Errorf("reading the seed: %w", err)
		}
		seed, err := platformapi.ParseSeed(document)
		if err != nil {
			return fmt.Errorf("%s: %w", *seedFile, err)
		}
		options.Seed = &seed
	}
	handler, err := platformapi.New(options)
	if err != nil {
		return err
	}
	return listenOn(ctx, "platform", *address, nil, handler, streams)
}

func runFront(ctx context.Context, args []string, streams Streams) error {
	flags := flag.NewFlagSet("front", flag.ContinueOnError)
	address := flags.String("listen", ":8443", "address")
	certFile := flags.String("tls-cert", "", "PEM certificate; none for plain http")
	keyFile := flags.String("tls-key", "", "PEM key of the certificate")
	var routes []front.Route
	flags.Func("route", "HOST[/PATH]=URL, first match wins; may be given several times", func(text string) error {
		route, err := front.ParseRoute(text)
		routes = append(routes, route)
		return err
	})
	if _, err := parse(flags, args); err != nil {
		return err
	}
	if len(routes) == 0 {
		return UsageError{Message: "front: give at least one -route HOST[/PATH]=URL"}
	}
	var tlsConfig *tls.Config
	if *certFile != "" {
		loaded, err := serve.KeyPair(*certFile, *keyFile)
		if err != nil {
			return err
		}
		tlsConfig = loaded
	}
	handler := serve.Logged(streams.log(), front.New(streams.log(), routes...))
	return listenOn(ctx, "front", *address, tlsConfig, handler, streams)
}
