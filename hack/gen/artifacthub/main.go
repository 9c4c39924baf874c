// Command artifacthub writes what ArtifactHub shows into the Chart.yaml of each chart.
package main

import (
	"context"

	"gitops-runtime/internal/generated"
	"gitops-runtime/tests/artifacthub"
)

func main() {
	generated.Main("artifacthub", func(_ context.Context, root string) error {
		files, err := artifacthub.Generate(root)
		if err != nil {
			return err
		}
		return generated.Write(root, files)
	})
}
