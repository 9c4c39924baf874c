package schema

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Node is a JSON schema, or a part of one, as decoded JSON.
type Node = map[string]any

// Converter converts a values.yaml with `# @schema` annotations into a schema, one node per value.
type Converter func(ctx context.Context, valuesFile string) (Node, error)

// Tool returns a converter that runs helm-values-schema-json, in the version that
// hack/tools/go.mod pins and compiled on first use. root is the repository's root.
func Tool(ctx context.Context, root string) (Converter, error) {
	const name = "helm-values-schema-json"
	cmd := exec.CommandContext(ctx, "go", "tool", "-n", name)
	cmd.Dir = filepath.Join(root, "hack", "tools")
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("build %s: %w: %s", name, err, strings.TrimSpace(stderr.String()))
	}
	binary := strings.TrimSpace(string(out))
	return func(ctx context.Context, valuesFile string) (Node, error) {
		return convert(ctx, binary, valuesFile)
	}, nil
}

func convert(ctx context.Context, binary, valuesFile string) (Node, error) {
	dir, err := os.MkdirTemp("", "schema-")
	if err != nil {
		return nil, fmt.Errorf("convert %s: %w", valuesFile, err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	valuesFile, err = filepath.Abs(valuesFile)
	if err != nil {
		return nil, fmt.Errorf("convert %s: %w", valuesFile, err)
	}
	result := filepath.Join(dir, "schema.json")
	cmd := exec.CommandContext(ctx, binary, "--values", valuesFile, "--output", result,
		"--draft", "2020", "--use-helm-docs", "--no-additional-properties", "--no-default-global")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("convert %s: %w: %s", valuesFile, err, strings.TrimSpace(string(out)))
	}
	text, err := os.ReadFile(result)
	if err != nil {
		return nil, fmt.Errorf("convert %s: %w", valuesFile, err)
	}
	var node Node
	if err := json.Unmarshal(text, &node); err != nil {
		return nil, fmt.Errorf("convert %s: read the tool's schema: %w", valuesFile, err)
	}
	return node, nil
}
