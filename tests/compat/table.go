package compat

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

func table(root, name string) (string, error) {
	values, err := Values(name)
	if err != nil {
		return "", err
	}
	chart, err := Load(root, name)
	if err != nil {
		return "", err
	}
	gone, err := AllDropped(chart)
	if err != nil {
		return "", err
	}
	page := newPage(values)
	for _, value := range values {
		verdict := "honored"
		entry, ok := Dropped(gone, value.Path)
		switch {
		case ok && entry.Renamed != nil:
			verdict = fmt.Sprintf("renamed to `%s`: %s.", entry.Now(value.Path), entry.Reason)
		case ok:
			verdict = fmt.Sprintf("dropped: %s. %s.", entry.Reason, entry.Instead)
		}
		page.row(value, verdict, !ok)
	}
	return page.text(name), nil
}

// page collects the rows of a table; those of a chart with versions say which versions have the value.
type page struct {
	versions     []string // of which the shares are said; one empty where versions do not differ
	rows         strings.Builder
	honored, all map[string]int
}

func newPage(values []Value) *page {
	p := &page{honored: map[string]int{}, all: map[string]int{}}
	for _, value := range values {
		for _, version := range versionsOf(value) {
			if !slices.Contains(p.versions, version) {
				p.versions = append(p.versions, version)
			}
		}
	}
	slices.Sort(p.versions)
	return p
}

func versionsOf(value Value) []string {
	if len(value.Versions) == 0 {
		return []string{""}
	}
	return value.Versions
}

func (p *page) row(value Value, verdict string, honored bool) {
	for _, version := range versionsOf(value) {
		p.all[version]++
		if honored {
			p.honored[version]++
		}
	}
	fmt.Fprintf(&p.rows, "| `%s` | %s | ", value.Path, value.Type)
	if p.versions[0] != "" {
		fmt.Fprintf(&p.rows, "%s | ", strings.Join(value.Versions, ", "))
	}
	fmt.Fprintf(&p.rows, "%s |\n", verdict)
}

func (p *page) text(chart string) string {
	title, shares := "the community's "+chart+" chart", fmt.Sprintf("%d of %d values", p.honored[""], p.all[""])
	head, line := "| value | type | here |", "| --- | --- | --- |"
	if p.versions[0] != "" {
		title = "the published " + chart + " chart"
		head, line = "| value | type | in | here |", "| --- | --- | --- | --- |"
		var each []string
		for _, version := range p.versions {
			each = append(each, fmt.Sprintf("%d of %d values of %s", p.honored[version], p.all[version], version))
		}
		last := len(each) - 1
		shares = strings.TrimPrefix(strings.Join(each[:last], ", ")+" and "+each[last], " and ")
	}
	return fmt.Sprintf(`# Values of %s

<!-- Made by make generate; do not edit. -->

%s are honored: a test changes each to another value of its type and sees a rendered object change.
Setting a dropped or renamed one is refused with the sentence that stands here.

%s
%s
%s`, title, shares, head, line, p.rows.String())
}
