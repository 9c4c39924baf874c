// Package readme makes the README of each chart, a table of its values, with helm-docs.
package readme

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// template is the README of every chart, relative to the charts' folder.
const template = "./README.gotmpl"

// File is a generated README: its path relative to the repository's root and its content.
type File struct {
	Path string
	Text []byte
}

// Generate returns the README of every chart that has values. root is the repository's root.
func Generate(ctx context.Context, root string) ([]File, error) {
	tool, err := output(ctx, filepath.Join(root, "tools", "helm-docs"), "go", "tool", "-n", "helm-docs")
	if err != nil {
		return nil, fmt.Errorf("build helm-docs: %w", err)
	}
	values, err := filepath.Glob(filepath.Join(root, "charts", "*", "values.yaml"))
	if err != nil {
		return nil, fmt.Errorf("list the charts: %w", err)
	}
	var files []File
	for _, file := range values {
		chart := filepath.Base(filepath.Dir(file))
		text, err := output(ctx, filepath.Join(root, "charts"), strings.TrimSpace(string(tool)),
			"--chart-search-root", ".", "--chart-to-generate", chart, "--template-files", template,
			"--sort-values-order", "file", "--dry-run", "--log-level", "warning")
		if err != nil {
			return nil, fmt.Errorf("README of the chart %s: %w", chart, err)
		}
		files = append(files, File{Path: filepath.Join("charts", chart, "README.md"), Text: append(bytes.TrimSpace(text), '\n')})
	}
	return files, nil
}

func output(ctx context.Context, dir, program string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

// Write puts the files below root.
func Write(root string, files []File) error {
	for _, file := range files {
		if err := os.WriteFile(filepath.Join(root, file.Path), file.Text, 0o644); err != nil {
			return fmt.Errorf("write a README: %w", err)
		}
	}
	return nil
}

// Drift returns one sentence for each README below root that is not what files says.
func Drift(root string, files []File) ([]string, error) {
	var drift []string
	for _, file := range files {
		have, err := os.ReadFile(filepath.Join(root, file.Path))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read a README: %w", err)
		}
		if !bytes.Equal(have, file.Text) {
			drift = append(drift, file.Path+" is not in step with values.yaml; run make generate")
		}
	}
	return drift, nil
}
