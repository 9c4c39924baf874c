package command

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"

	"gitops-runtime/tests/standin/platformapi"
	"gitops-runtime/tests/standin/serve"
)

// listenOn logs the address and serves a handler on it until ctx ends.
func listenOn(ctx context.Context, name, address string, handler http.Handler, streams Streams) error {
	listener, err := serve.Listen(ctx, address, nil)
	if err != nil {
		return err
	}
	streams.log().InfoContext(ctx, "listening", "stand-in", name, "address", listener.Addr().String())
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
	return listenOn(ctx, "platform", *address, handler, streams)
}
