// Package gomodule finds the source of a Go module that a go.mod of this repository pins, so that schemas and definitions come from the same source
// as the programs.
package gomodule

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Module is a pinned module and the folder in the module cache that contains its source.
type Module struct {
	Path    string
	Version string
	Dir     string
}

// marker is the file beside the go.mod of the repository's root, by which it differs from the other modules of the repository.
const marker = "address.yaml"

// Root returns the repository's root: the nearest folder at or above the working folder with a go.mod and the product's address.
func Root() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		_, noModule := os.Stat(filepath.Join(dir, "go.mod"))
		_, noAddress := os.Stat(filepath.Join(dir, marker))
		if noModule == nil && noAddress == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("find the repository: no go.mod beside address.yaml in or above %s; run inside the checkout", start)
		}
	}
}

// Find returns the module that the go.mod in modFolder requires at path, and downloads it into the module cache if it is missing. A replace directive of
// that go.mod is ignored: the caller needs the source as published.
func Find(ctx context.Context, modFolder, path string) (Module, error) {
	version, err := required(ctx, modFolder, path)
	if err != nil {
		return Module{}, err
	}
	// Run outside of any module, so that neither a replace directive nor a missing go.sum has an effect.
	neutral, err := os.MkdirTemp("", "gomodule-")
	if err != nil {
		return Module{}, fmt.Errorf("download %s: %w", path, err)
	}
	defer func() { _ = os.RemoveAll(neutral) }()
	out, err := goCommand(ctx, neutral, "mod", "download", "-json", path+"@"+version)
	if err != nil {
		return Module{}, fmt.Errorf("download %s@%s: %w", path, version, err)
	}
	var found struct{ Dir string }
	if err := json.Unmarshal(out, &found); err != nil {
		return Module{}, fmt.Errorf("download %s@%s: read the answer of go mod download: %w", path, version, err)
	}
	return Module{Path: path, Version: version, Dir: found.Dir}, nil
}

func required(ctx context.Context, modFolder, path string) (string, error) {
	file := filepath.Join(modFolder, "go.mod")
	out, err := goCommand(ctx, "", "mod", "edit", "-json", file)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", file, err)
	}
	var parsed struct {
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal(out, &parsed); err != nil {
		return "", fmt.Errorf("read %s: %w", file, err)
	}
	for _, r := range parsed.Require {
		if r.Path == path {
			return r.Version, nil
		}
	}
	return "", fmt.Errorf("%s does not require %s; add it with its version", file, path)
}

func goCommand(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.Join(err, errors.New(strings.TrimSpace(stderr.String()+string(out))))
	}
	return out, nil
}
