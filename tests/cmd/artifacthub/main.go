// Command artifacthub writes what ArtifactHub shows into the Chart.yaml of each chart.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/artifacthub"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "artifacthub:", err)
		os.Exit(1)
	}
}

func run() error {
	root, err := gomodule.Root()
	if err != nil {
		return err
	}
	files, err := artifacthub.Generate(root)
	if err != nil {
		return err
	}
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(root, file), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
