// Command contract writes the page of the differences between the published chart and the umbrella chart.
package main

import (
	"context"

	"gitops-runtime/internal/generated"
	"gitops-runtime/tests/contract"
)

func main() {
	generated.Main("contract", func(ctx context.Context, root string) error {
		comparison, outcomes, err := contract.Run(ctx)
		if err != nil {
			return err
		}
		page, err := contract.Page(comparison, outcomes)
		if err != nil {
			return err
		}
		return generated.Write(root, []generated.File{{Path: contract.Path, Text: []byte(page)}})
	})
}
