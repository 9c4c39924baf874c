// Command readme writes the README of each chart.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/readme"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "readme:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	root, err := gomodule.Root()
	if err != nil {
		return err
	}
	files, err := readme.Generate(ctx, root)
	if err != nil {
		return err
	}
	return readme.Write(root, files)
}
