// Command chart-schema writes the values.schema.json of each chart.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/schemabundle"
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
	if err := schema.Write(root, files); err != nil {
		return err
	}
	return writeBundle(ctx, root)
}

// writeBundle writes the schema for editors, of the umbrella chart and all that it depends on.
func writeBundle(ctx context.Context, root string) error {
	chart, err := helmchart.Load(ctx, filepath.Join(root, "charts", helmchart.Umbrella))
	if err != nil {
		return err
	}
	text, err := schemabundle.Of(chart)
	if err != nil {
		return err
	}
	file := filepath.Join("schema", "bundle", helmchart.Umbrella+".values.schema.json")
	fmt.Printf("%8d bytes  %s\n", len(text), file)
	return os.WriteFile(filepath.Join(root, file), text, 0o644)
}
