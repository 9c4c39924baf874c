// Command vulnerabilities adds to the list of known vulnerabilities what a copy of the Go vulnerability database has about what is pinned.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/pins"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: vulnerabilities FOLDER (vulndb.zip of https://vuln.go.dev, unpacked)")
		os.Exit(2)
	}
	if err := refresh(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "vulnerabilities:", err)
		os.Exit(1)
	}
}

func refresh(folder string) error {
	root, err := gomodule.Root()
	if err != nil {
		return err
	}
	pinned, err := pins.Pins(root)
	if err != nil {
		return err
	}
	name := filepath.Join(root, "internal", "vulnerable", "known.yaml")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	text, unfixed, err := pins.Refresh(text, os.DirFS(folder), pinned, time.Now().UTC().Format(time.DateOnly))
	if err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	for _, one := range unfixed {
		fmt.Println(one)
	}
	return os.WriteFile(name, text, 0o644) //nolint:gosec // a file of the repository
}
