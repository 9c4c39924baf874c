// Command chart-schema writes the values.schema.json of each chart.
package main

import (
	"context"
	"fmt"

	"gitops-runtime/internal/generated"
	"gitops-runtime/schema"
)

func main() {
	generated.Main("chart-schema", func(ctx context.Context, root string) error {
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
		return generated.Write(root, files)
	})
}
