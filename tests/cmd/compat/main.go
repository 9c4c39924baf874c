// Command compat writes the tables of values that each chart takes over from the community's chart.
package main

import (
	"fmt"
	"os"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/compat"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "compat:", err)
		os.Exit(1)
	}
}

func run() error {
	root, err := gomodule.Root()
	if err != nil {
		return err
	}
	pages, err := compat.Pages(root)
	if err != nil {
		return err
	}
	return compat.Write(root, pages)
}
