// Package schema generates the values.schema.json of each chart from the annotations in its values.yaml.
//
// helm-values-schema-json generates one schema node per documented value. This package makes the result self-contained (shared definitions are inlined),
// compatible with Helm (null deletes a default, `global` and the values of subcharts pass through), strict where a typo would go unnoticed, and strict
// where null would delete what templates need.
package schema

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"gitops-runtime/internal/dropped"
	"gitops-runtime/internal/generated"
)

// Generate returns the schema, and the list of stale keys, of every chart below root/charts that has a values.yaml, created by convert; kubernetes are the types that the shared
// definitions refer to.
func Generate(ctx context.Context, root string, convert Converter, kubernetes Types) ([]generated.File, error) {
	shared, err := readDefinitions(os.DirFS(filepath.Join(root, "schema", "definitions")))
	if err != nil {
		return nil, err
	}
	maps.Copy(shared, kubernetes)
	charts, err := readCharts(root)
	if err != nil {
		return nil, err
	}
	schemas := map[string]Node{}
	var files []generated.File
	for _, c := range charts {
		values := filepath.Join(c.dir, "values.yaml")
		node, err := convert(ctx, values)
		if err != nil {
			return nil, err
		}
		tables := rootTables(node, c.subcharts())
		if err := shared.linkRefined(node); err != nil {
			return nil, fmt.Errorf("%s: %w", values, err)
		}
		if err := complete(node, c, schemas); err != nil {
			return nil, fmt.Errorf("%s: %w", values, err)
		}
		droppedValues, err := dropped.Of(c.Name)
		if err != nil {
			return nil, err
		}
		defaults, err := readDefaults(root, c.Name)
		if err != nil {
			return nil, err
		}
		if err := refuse(node, droppedValues, defaults); err != nil {
			return nil, fmt.Errorf("%s: %w", values, err)
		}
		schemas[c.Name] = node
		requireTables(node, tables)
		if slices.Contains(community, c.Name) {
			acceptQuoted(node)
		}
		text, err := encode(node)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", values, err)
		}
		files = append(files, generated.File{Path: filepath.Join("charts", filepath.Base(c.dir), "values.schema.json"), Text: text})
		notes, found, err := stale(c, droppedValues)
		if err != nil {
			return nil, err
		}
		if found {
			files = append(files, notes)
		}
	}
	return files, nil
}

// linkRefined refines the converter's output before and after the definitions are added: before, since defaults restrict lists too much; after, since
// definitions lack null.
func (d definitions) linkRefined(node Node) error {
	refine(node)
	if err := d.link(node); err != nil {
		return err
	}
	addNull(node)
	shared, _ := node["definitions"].(Node)
	for _, definition := range shared {
		addNull(definition.(Node))
	}
	node["type"] = "object"
	return nil
}

func addNull(node Node) {
	allowNull(node)
	_ = eachChild(node, func(_ string, child Node) error {
		addNull(child)
		return nil
	})
}

func encode(node Node) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(node); err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	return out.Bytes(), nil
}
