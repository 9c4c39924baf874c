// Command contract writes the page that lists the programs that the umbrella chart is made for, and how it differs from the published chart.
package main

import (
	"context"

	"gitops-runtime/internal/generated"
	"gitops-runtime/tests/contract"
)

func main() {
	generated.Main("contract", func(ctx context.Context, root string) error {
		result, err := contract.Hold(ctx)
		if err != nil {
			return err
		}
		page, err := contract.Page(result)
		if err != nil {
			return err
		}
		return generated.Write(root, []generated.File{{Path: contract.Path, Text: []byte(page)}})
	})
}
