// Command readme writes the README of each chart.
package main

import (
	"context"

	"gitops-runtime/internal/generated"
	"gitops-runtime/tests/readme"
)

func main() {
	generated.Main("readme", func(ctx context.Context, root string) error {
		files, err := readme.Generate(ctx, root)
		if err != nil {
			return err
		}
		return generated.Write(root, files)
	})
}
