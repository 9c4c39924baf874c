// Command security writes the page for security readers of the umbrella chart.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/security"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "security:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	root, err := gomodule.Root()
	if err != nil {
		return err
	}
	page, err := security.Generate(ctx, root)
	if err != nil {
		return err
	}
	file := filepath.Join(root, security.Path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("write the security page: %w", err)
	}
	if err := os.WriteFile(file, page, 0o644); err != nil {
		return fmt.Errorf("write the security page: %w", err)
	}
	return nil
}
