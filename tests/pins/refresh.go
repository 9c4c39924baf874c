package pins

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// advisory is an entry of the Go vulnerability database. https://go.dev/doc/security/vuln/database
type advisory struct {
	ID, Summary string
	Aliases     []string
	Affected    []struct {
		Package struct{ Name string }
		Ranges  []struct {
			Events []struct{ Introduced, Fixed string }
		}
	}
}

// Refresh adds to the text of a list what a copy of the Go vulnerability database (files ID/GO-*.json) has about the products' modules and about the
// modules that the repository's own go.mod files require, and sets the date. It returns a sentence for each advisory that has no fixed version.
func Refresh(text []byte, database fs.FS, pinned []Pin, date string) ([]byte, []string, error) {
	list, err := Read(text)
	if err != nil {
		return nil, nil, err
	}
	names, err := fs.Glob(database, "ID/GO-*.json")
	if err != nil || len(names) == 0 {
		return nil, nil, fmt.Errorf("it contains no files ID/GO-*.json: give the folder of vulndb.zip of https://vuln.go.dev, unpacked")
	}
	known, interesting := list.ids(), list.modules(pinned)
	out, unfixed := strings.Replace(string(text), list.Date, date, 1), []string(nil)
	for _, name := range names {
		data, err := fs.ReadFile(database, name)
		var one advisory
		if err = cmp.Or(err, json.Unmarshal(data, &one)); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path.Base(name), err)
		}
		if slices.ContainsFunc(append(one.Aliases, one.ID), func(id string) bool { return known[id] }) {
			continue
		}
		for _, affected := range one.Affected {
			module := affected.Package.Name
			if !interesting[module] {
				continue
			}
			rows, fixed := []string(nil), ""
			for _, ranges := range affected.Ranges {
				more, last := constraints(ranges.Events)
				rows, fixed = append(rows, more...), cmp.Or(last, fixed)
			}
			if fixed == "" {
				unfixed = append(unfixed, fmt.Sprintf("%s in %s has no fixed version: add it under unclear, or accept it", one.ID, module))
				continue
			}
			out = insert(out, module, fmt.Sprintf("      - {id: %s, severity: unknown, affected: %q, fixed: %s, found: database, summary: %q, source: %q}\n",
				one.ID, strings.Join(rows, " || "), fixed, one.Summary, "https://pkg.go.dev/vuln/"+one.ID))
		}
	}
	_, err = Read([]byte(out))
	return []byte(out), unfixed, err
}

func (l List) ids() map[string]bool {
	known := map[string]bool{}
	for _, product := range l.Products {
		for _, one := range product.Vulnerabilities {
			known[one.ID] = true
		}
	}
	for _, unclear := range l.Unclear {
		for _, id := range unclear.IDs {
			known[id] = true
		}
	}
	return known
}

func (l List) modules(pinned []Pin) map[string]bool {
	modules := map[string]bool{}
	for _, product := range l.Products {
		modules[product.Module] = product.Module != ""
	}
	for _, pin := range pinned {
		if pin.Program == "" && !pin.isImage() {
			modules[pin.What] = true
		}
	}
	return modules
}

// constraints returns the ranges of events as constraints, and the last fixed version.
func constraints(events []struct{ Introduced, Fixed string }) (all []string, fixed string) {
	from := ""
	for _, event := range events {
		switch {
		case event.Fixed == "":
			from = event.Introduced
		case cmp.Or(from, "0") == "0":
			all, fixed = append(all, "<"+event.Fixed), event.Fixed
		default:
			all, fixed = append(all, ">="+from+", <"+event.Fixed), event.Fixed
		}
	}
	return all, fixed
}

// insert adds an entry to the product of a module, or a product for a linked module.
func insert(text, module, entry string) string {
	const entries = "    vulnerabilities:\n"
	if at := strings.Index(text, "    module: "+module+"\n"); at >= 0 {
		if next := strings.Index(text[at:], entries); next >= 0 {
			at += next + len(entries)
			return text[:at] + entry + text[at:]
		}
	}
	end := strings.Index(text, "\nunlisted:")
	if comment := strings.LastIndex(text[:end], "\n\n"); comment >= 0 {
		end = comment + 1
	}
	return text[:end] + "\n  - name: " + module + "\n    module: " + module + "\n    linked: true\n" + entries + entry + text[end:]
}
