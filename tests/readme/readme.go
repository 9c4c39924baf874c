// Package readme generates the README of each chart and the reference of the umbrella chart's values, with helm-docs.
package readme

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gitops-runtime/internal/generated"
)

// shared is the default README template, relative to the charts' folder; specific is the template of a single chart, relative to the chart.
const (
	shared   = "./README.gotmpl"
	specific = "README.md.gotmpl"
)

// umbrella is the chart with the reference page.
const umbrella = "gitops-runtime"

// Generate returns the README of every chart with values, and the reference of the umbrella's values. root is the root of the checkout.
func Generate(ctx context.Context, root string) ([]generated.File, error) {
	tool, err := output(ctx, filepath.Join(root, "hack", "tools"), "go", "tool", "-n", "helm-docs")
	if err != nil {
		return nil, fmt.Errorf("build helm-docs: %w", err)
	}
	docs := docs{root: root, tool: strings.TrimSpace(string(tool))}
	values, err := filepath.Glob(filepath.Join(root, "charts", "*", "values.yaml"))
	if err != nil {
		return nil, fmt.Errorf("list the charts: %w", err)
	}
	var files []generated.File
	for _, file := range values {
		chart := filepath.Base(filepath.Dir(file))
		template := shared
		if _, err := os.Stat(filepath.Join(root, "charts", chart, specific)); err == nil {
			template = specific
		}
		text, err := docs.render(ctx, chart, template)
		if err != nil {
			return nil, err
		}
		path := filepath.Join("charts", chart, "README.md")
		files = append(files, generated.File{Path: path, Text: append(bytes.TrimSpace(text), '\n')})
	}
	page, err := docs.reference(ctx, umbrella)
	if err != nil {
		return nil, err
	}
	return append(files, page), nil
}

// docs runs helm-docs in a checkout.
type docs struct {
	root, tool string
}

// render fills a template with the values of a chart.
func (d docs) render(ctx context.Context, chart, template string) ([]byte, error) {
	text, err := output(ctx, filepath.Join(d.root, "charts"), d.tool,
		"--chart-search-root", ".", "--chart-to-generate", chart, "--template-files", template,
		"--sort-values-order", "file", "--dry-run", "--log-level", "warning")
	if err != nil {
		return nil, fmt.Errorf("fill %s for the chart %s: %w", template, chart, err)
	}
	return bytes.ReplaceAll(text, []byte("| `nil` |"), []byte("| `null` |")), nil // helm-docs prints Go's word, which in YAML is a string
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
