// Command crds writes the charts' custom resource definitions from the pinned modules.
package main

import (
	"context"
	"os"

	"gitops-runtime/internal/generated"
	"gitops-runtime/tests/crds"
)

func main() {
	generated.Main("crds", func(ctx context.Context, root string) error {
		files, err := crds.Generate(ctx, root, crds.Sources())
		if err != nil {
			return err
		}
		if err := crds.Write(root, crds.Sources(), files); err != nil {
			return err
		}
		return crds.Report(os.Stdout, files)
	})
}
