// Command compat writes the tables of values that each chart takes over from the community's chart.
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
		return compat.Write(root, pages)
	})
}
