// Command contract writes the page that says for which programs the umbrella chart is made, and how it differs from the published one.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/contract"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "contract:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	root, err := gomodule.Root()
	if err != nil {
		return err
	}
	result, err := contract.Hold(ctx)
	if err != nil {
		return err
	}
	page, err := contract.Page(result)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, contract.Path), []byte(page), 0o644); err != nil {
		return fmt.Errorf("write the page of the contract: %w", err)
	}
	return nil
}
