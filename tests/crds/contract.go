package crds

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Contract is an Origin: the rows of aspect crd in the table of the runtime's contract. The columns of the table are scenario, kind, object,
// container, aspect, key and value, separated by tabs. The programs that define these kinds are closed-source; the table contains all that is known
// about their definitions.
type Contract struct {
	Table string // relative to the repository's root
	Group string // API group
}

// String names the rows for error messages.
func (c Contract) String() string { return c.Group + " in " + c.Table }

// facts are the rows of one definition: key, value and the row's number in the table.
type facts []fact

type fact struct {
	key, value string
	row        int
}

// Definitions builds the definitions of the group.
func (c Contract) Definitions(_ context.Context, root string) ([]Definition, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(c.Table)))
	if err != nil {
		return nil, fmt.Errorf("read the contract: %w", err)
	}
	rows, err := c.rows(string(text))
	if err != nil {
		return nil, err
	}
	var definitions []Definition
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		definition, err := build(name, rows[name], c.Table)
		if err != nil {
			return nil, err
		}
		definitions = append(definitions, definition)
	}
	return definitions, nil
}

// rows returns the facts of each definition of the group in the scenario tunnel, which has every fact.
func (c Contract) rows(text string) (map[string]facts, error) {
	found := map[string]facts{}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		column := strings.Split(line, "\t")
		if len(column) != 7 {
			return nil, fmt.Errorf("%s:%d: got %d columns, want 7", c.Table, i+1, len(column))
		}
		if column[0] == "tunnel" && column[4] == "crd" && strings.HasSuffix(column[2], "."+c.Group) {
			found[column[2]] = append(found[column[2]], fact{key: column[5], value: column[6], row: i + 1})
		}
	}
	return found, nil
}

// build returns the definition that the facts describe.
func build(name string, rows facts, table string) (Definition, error) {
	spec := map[string]any{"names": map[string]any{}}
	versions := map[string]*version{}
	for _, row := range rows {
		if err := add(spec, versions, row); err != nil {
			return Definition{}, fmt.Errorf("%s:%d: %s: %w", table, row.row, name, err)
		}
	}
	var list []any
	for _, of := range slices.Sorted(maps.Keys(versions)) {
		schema, err := versions[of].schema()
		if err != nil {
			return Definition{}, fmt.Errorf("%s: %s version %s: %w", table, name, of, err)
		}
		versions[of].fields["schema"] = map[string]any{"openAPIV3Schema": schema}
		list = append(list, versions[of].fields)
	}
	spec["versions"] = list
	return finish(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": spec,
	}, fmt.Sprintf("Generated from %s by make generate; do not edit.", table))
}

// version contains the facts of one version of a kind: its schemas are by path, as spec.steps[].name.
type version struct {
	fields  map[string]any
	schemas map[string]fact
}

// add stores one fact in its field.
func add(spec map[string]any, versions map[string]*version, row fact) error {
	if field, ok := strings.CutPrefix(row.key, "names."); ok {
		names, _ := spec["names"].(map[string]any)
		names[field] = row.value
		if slices.Contains([]string{"shortNames", "categories"}, field) {
			names[field] = strings.Split(row.value, ",")
		}
		return nil
	}
	if row.key == "group" || row.key == "scope" {
		spec[row.key] = row.value
		return nil
	}
	rest, ok := strings.CutPrefix(row.key, "version ")
	if !ok {
		return fmt.Errorf("unknown key %q", row.key)
	}
	name, rest, _ := strings.Cut(rest, " ")
	of := versions[name]
	if of == nil {
		of = &version{fields: map[string]any{"name": name}, schemas: map[string]fact{}}
		versions[name] = of
	}
	return of.add(rest, row)
}

func (v *version) add(key string, row fact) error {
	column, isColumn := strings.CutPrefix(key, "column ")
	switch {
	case key == "":
		var served, storage bool
		if _, err := fmt.Sscanf(row.value, "served=%t storage=%t", &served, &storage); err != nil {
			return fmt.Errorf("read %q: %w", row.value, err)
		}
		v.fields["served"], v.fields["storage"] = served, storage
	case key == "subresource":
		if row.value != "status" {
			return fmt.Errorf("unknown subresource %q", row.value)
		}
		v.fields["subresources"] = map[string]any{"status": map[string]any{}}
	case isColumn:
		path, kind, ok := strings.Cut(row.value, " ")
		if !ok {
			return fmt.Errorf("want a path and a type, got %q", row.value)
		}
		columns, _ := v.fields["additionalPrinterColumns"].([]any)
		v.fields["additionalPrinterColumns"] = append(columns, map[string]any{"name": column, "jsonPath": path, "type": kind})
	default:
		v.schemas[key] = row
	}
	return nil
}
