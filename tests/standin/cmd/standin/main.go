// Command standin runs the servers that a test cluster lacks; see package command.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"gitops-runtime/tests/standin/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := command.Run(ctx, os.Args, command.Streams{LookupEnv: os.LookupEnv, Out: os.Stdout, Err: os.Stderr})
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "standin:", err)
	var usage command.UsageError
	if errors.As(err, &usage) {
		os.Exit(2) //nolint:gocritic // the signal handler ends with the program
	}
	os.Exit(1)
}
