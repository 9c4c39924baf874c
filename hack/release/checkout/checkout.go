// Package checkout reads files of the checkout that a release is made from, within limits: the checkout may be that of a pull request.
package checkout

import (
	"fmt"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/budget"
	"gitops-runtime/internal/outfile"
)

// maxFile is the maximum size of a file in bytes; the largest is the Chart.yaml of the umbrella chart, with 20 KB.
const maxFile = 1 << 20

// Text returns the content of a file below the root: a regular file of at most 1 MiB. Errors name the file by its path below the root.
func Text(root, name string) ([]byte, error) {
	text, err := outfile.ReadRegular(filepath.Join(root, name), maxFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}

// YAML parses a file below the root, in which every key has to be known.
func YAML(root, name string, into any) error {
	text, err := Text(root, name)
	if err != nil {
		return err
	}
	return Parse(name, text, into, yaml.DisallowUnknownFields)
}

// Parse parses a text in which aliases may not multiply without end; the name is for errors.
func Parse(name string, text []byte, into any, options ...yaml.JSONOpt) error {
	if err := budget.New(budget.Default()).YAML(name, text); err != nil {
		return err
	}
	parse := yaml.Unmarshal
	if len(options) > 0 {
		parse = yaml.UnmarshalStrict
	}
	if err := parse(text, into, options...); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
