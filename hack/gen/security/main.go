// Command security writes the security page of the umbrella chart.
package main

import (
	"context"

	"gitops-runtime/internal/generated"
	"gitops-runtime/tests/security"
)

func main() {
	generated.Main("security", func(ctx context.Context, root string) error {
		page, err := security.Generate(ctx, root)
		if err != nil {
			return err
		}
		return generated.Write(root, []generated.File{{Path: security.Path, Text: page}})
	})
}
