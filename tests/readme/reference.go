package readme

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"gitops-runtime/internal/generated"
)

// reference is a template with a row for each value, values.gotmpl.
const (
	rows          = "./values.gotmpl"
	referencePath = "docs/values.md"
)

// row is a value as helm-docs describes it.
type row struct {
	Key, Type, Default, Description string
}

// group is the values below one or two first keys.
type group struct {
	title string
	rows  []row
}

// reference is the page of a chart's values, in groups, each value with an anchor.
func (d docs) reference(ctx context.Context, chart string) (generated.File, error) {
	text, err := d.render(ctx, chart, rows)
	if err != nil {
		return generated.File{}, err
	}
	var all []row
	for line := range bytes.Lines(bytes.TrimSpace(text)) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var next row
		if err := json.Unmarshal(line, &next); err != nil {
			return generated.File{}, fmt.Errorf("read what helm-docs says of the chart %s: %w", chart, err)
		}
		all = append(all, next)
	}
	return generated.File{Path: filepath.FromSlash(referencePath), Text: page(chart, grouped(all))}, nil
}

// grouped puts values that follow each other into groups: globals by their first two keys, others by their first.
func grouped(all []row) []group {
	var groups []group
	at := map[string]int{}
	for _, value := range all {
		parts := strings.Split(value.Key, ".")
		title := parts[0]
		if parts[0] == "global" && len(parts) > 2 {
			title += "." + parts[1]
		}
		index, known := at[title]
		if !known {
			index = len(groups)
			at[title] = index
			groups = append(groups, group{title: title})
		}
		groups[index].rows = append(groups[index].rows, value)
	}
	return groups
}

var (
	beyondSlug   = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	beyondAnchor = regexp.MustCompile(`[^a-z0-9_-]+`)
)

// Slug is GitHub's anchor of a heading.
func Slug(heading string) string {
	return strings.ReplaceAll(beyondSlug.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// Anchor is the anchor of a value: its path in lower case, with a dash for each character that is neither a letter nor a digit.
func Anchor(path string) string {
	return strings.Trim(beyondAnchor.ReplaceAllString(strings.ToLower(path), "-"), "-")
}

// cell is a text within a row of a table.
func cell(text string) string {
	return strings.ReplaceAll(text, "|", `\|`)
}

func page(chart string, groups []group) []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, "# Values of %s\n\n<!-- Made by make generate; do not edit. -->\n\n", chart)
	text.WriteString("Each value has an anchor: its path in lower case, with dashes for dots. Those of the Argo charts, below `argo-cd`, `argo-rollouts`, `argo-workflows`, `argo-events` and\n" +
		"`tunnel-client`, are all in the READMEs of these charts; here are the defaults that the runtime changes: [argo-cd](../charts/argo-cd/README.md#values),\n" +
		"[argo-rollouts](../charts/argo-rollouts/README.md#values), [argo-workflows](../charts/argo-workflows/README.md#values), [argo-events](../charts/argo-events/README.md#values),\n" +
		"[tunnel-client](../charts/tunnel-client/README.md#values).\n\n| group | values |\n| --- | ---: |\n")
	for _, of := range groups {
		fmt.Fprintf(&text, "| [`%s`](#%s) | %d |\n", of.title, Slug(of.title), len(of.rows))
	}
	for _, of := range groups {
		fmt.Fprintf(&text, "\n## %s\n\n| value | type | default | description |\n| --- | --- | --- | --- |\n", of.title)
		for _, value := range of.rows {
			fmt.Fprintf(&text, "| <a id=\"%s\"></a>`%s` | %s | %s | %s |\n", Anchor(value.Key), cell(value.Key), cell(value.Type), cell(value.Default), cell(value.Description))
		}
	}
	return text.Bytes()
}
