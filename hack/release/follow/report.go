package follow

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Report returns the differences as Markdown: the verdict, a table of the classes, and what needs a person by class and object.
func Report(before, after string, all []Difference) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# From %s to %s\n\n%s\n\n| class | new | changed | gone | of closed programs | |\n| --- | --- | --- | --- | --- | --- |\n", before, after, Verdict(all))
	for _, class := range Classes() {
		added, changed, gone, closed := 0, 0, 0, 0
		for _, one := range all {
			switch {
			case one.Class != class.Name:
				continue
			case one.Gone:
				gone++
			case one.Before != nil:
				changed++
			default:
				added++
			}
			if one.Closed {
				closed++
			}
		}
		if added+changed+gone > 0 {
			fmt.Fprintf(&out, "| %s | %d | %d | %d | %d | %s |\n", class.Name, added, changed, gone, closed, class.What)
		}
	}
	for _, class := range Classes() {
		if class.Person {
			writeClass(&out, class, all)
		}
	}
	return out.String()
}

func writeClass(out *strings.Builder, class Class, all []Difference) {
	byObject := map[string][]string{}
	for _, one := range all {
		if one.Class == class.Name {
			object := one.Kind + "/" + one.Object
			if one.Closed {
				object += " (closed)"
			}
			byObject[object] = append(byObject[object], one.line())
		}
	}
	if len(byObject) == 0 {
		return
	}
	fmt.Fprintf(out, "\n## %s\n", strings.ToUpper(class.Name[:1])+class.Name[1:])
	for _, object := range slices.Sorted(maps.Keys(byObject)) {
		fmt.Fprintf(out, "\n%s\n\n", object)
		for _, line := range slices.Compact(byObject[object]) {
			fmt.Fprintf(out, "- [ ] %s\n", line)
		}
	}
}

// line returns a difference for a list, without its object.
func (d Difference) line() string {
	at := d.Key
	if d.Container != "-" {
		at = d.Container + " " + at
	}
	if d.Scenario != "tunnel" {
		at = "(" + d.Scenario + ") " + at
	}
	switch {
	case d.Gone:
		return fmt.Sprintf("gone: %s %s `%s`", d.Aspect, at, d.Value)
	case d.Before != nil:
		return fmt.Sprintf("changed: %s %s `%s` -> `%s`", d.Aspect, at, *d.Before, d.Value)
	}
	return fmt.Sprintf("new: %s %s `%s`", d.Aspect, at, d.Value)
}

// Images returns the image set of a table: every image once, in order.
func Images(rows []Row) []string {
	found := map[string]bool{}
	for _, row := range rows {
		if row.Aspect == "image" && image.MatchString(row.Value) || row.Aspect == "data" && image.MatchString(row.Value) {
			found[row.Value] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// Write writes the image set of the new version, the classified differences and the report into a folder.
func Write(folder, before, after string, rows []Row, all []Difference) error {
	var table strings.Builder
	fmt.Fprintf(&table, "class\tchange\t%s\tbefore\n", columns)
	for _, one := range all {
		change, was := "new", ""
		switch {
		case one.Gone:
			change = "gone"
		case one.Before != nil:
			change, was = "changed", *one.Before
		}
		fmt.Fprintf(&table, "%s\t%s\t%s\t%s\n", one.Class, change, one.Row, was)
	}
	images := "image\n" + strings.Join(Images(rows), "\n") + "\n"
	for name, text := range map[string]string{"images.tsv": images, "differences.tsv": table.String(), "report.md": Report(before, after, all)} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf("write the differences: %w", err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("write the differences: %w", err)
		}
	}
	return nil
}
