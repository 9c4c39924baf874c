package compat

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gitops-runtime/schema"
)

// Page is a chart's table of values: its path relative to the repository's root and its content.
type Page struct {
	Path string
	Text string
}

// Pages returns the table of every known chart.
func Pages(root string) ([]Page, error) {
	charts, err := Charts()
	if err != nil {
		return nil, err
	}
	var pages []Page
	for _, chart := range charts {
		text, err := table(root, chart)
		if err != nil {
			return nil, err
		}
		pages = append(pages, Page{Path: filepath.Join("charts", chart, "docs", "compatibility.md"), Text: text})
	}
	return pages, nil
}

// Write puts the pages into the checkout at root.
func Write(root string, pages []Page) error {
	for _, page := range pages {
		file := filepath.Join(root, page.Path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("write %s: %w", page.Path, err)
		}
		if err := os.WriteFile(file, []byte(page.Text), 0o644); err != nil {
			return fmt.Errorf("write %s: %w", page.Path, err)
		}
	}
	return nil
}

func table(root, chart string) (string, error) {
	values, err := Values(chart)
	if err != nil {
		return "", err
	}
	dropped, err := schema.ReadDropped(os.DirFS(filepath.Join(root, "schema", "dropped")), chart)
	if err != nil {
		return "", err
	}
	var rows strings.Builder
	honoured := 0
	for _, value := range values {
		verdict := "honoured"
		if entry, ok := Dropped(dropped, value.Path); ok {
			verdict = fmt.Sprintf("dropped: %s. %s.", entry.Reason, entry.Instead)
		} else {
			honoured++
		}
		fmt.Fprintf(&rows, "| `%s` | %s | %s |\n", value.Path, value.Type, verdict)
	}
	return fmt.Sprintf(`# Values of the community's %s chart

<!-- Made by make generate; do not edit. -->

%d of %d values are honoured: a test changes each to another value of its type and sees a rendered object change.
Setting a dropped one is refused with the sentence that stands here.

| value | type | here |
| --- | --- | --- |
%s`, chart, honoured, len(values), rows.String()), nil
}
