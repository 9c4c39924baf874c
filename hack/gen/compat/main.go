// Command compat writes the compatibility tables of the values that each chart takes over from the community chart.
package main

import (
	"context"

	"gitops-runtime/internal/generated"
	"gitops-runtime/tests/compat"
)

func main() {
	generated.Main("compat", func(_ context.Context, root string) error {
		pages, err := compat.Pages(root)
		if err != nil {
			return err
		}
		return generated.Write(root, pages)
	})
}
