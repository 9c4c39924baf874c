// Command dashboards writes the dashboards of the umbrella chart.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/dashboards"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "dashboards:", err)
		os.Exit(1)
	}
}

func run() error {
	root, err := gomodule.Root()
	if err != nil {
		return err
	}
	files, err := dashboards.Generate()
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
