// Command dashboards writes the dashboards of the umbrella chart.
package main

import (
	"context"

	"gitops-runtime/internal/generated"
	"gitops-runtime/tests/dashboards"
)

func main() {
	generated.Main("dashboards", func(_ context.Context, root string) error {
		files, err := dashboards.Generate()
		if err != nil {
			return err
		}
		return generated.Write(root, files)
	})
}
