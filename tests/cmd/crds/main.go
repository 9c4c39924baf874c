// Command crds writes the charts' custom resource definitions from the pinned modules.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/crds"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "crds:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	root, err := gomodule.Root()
	if err != nil {
		return err
	}
	files, err := crds.Generate(ctx, root, crds.Sources())
	if err != nil {
		return err
	}
	if err := crds.Write(root, crds.Sources(), files); err != nil {
		return err
	}
	return crds.Report(os.Stdout, files)
}
