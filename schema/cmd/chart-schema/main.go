// Command chart-schema writes the values.schema.json of each chart.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/schema"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "chart-schema:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	root, err := gomodule.Root()
	if err != nil {
		return err
	}
	convert, err := schema.Tool(ctx, root)
	if err != nil {
		return err
	}
	kubernetes, err := schema.Kubernetes(ctx, root)
	if err != nil {
		return err
	}
	files, err := schema.Generate(ctx, root, convert, kubernetes)
	if err != nil {
		return err
	}
	for _, file := range files {
		fmt.Printf("%8d bytes  %s\n", len(file.Text), file.Path)
	}
	return schema.Write(root, files)
}
