package contract

import (
	_ "embed"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/facts"
)

//go:embed accepted.yaml
var acceptedText []byte

// Difference is an accepted difference from the published chart: an entry of the page of differences.
type Difference struct {
	Area string // Area is a heading of the page.
	What string
	Who  string // Who is affected.
	Do   string // Do is what they can do.
	// In are the modes of values with the difference; all if empty.
	In []Pattern
	// Added is true if only facts that the published chart lacks are accepted.
	Added bool
	// Facts are patterns of paths by pattern of objects.
	Facts map[string][]string

	rows []*row
}

type row struct {
	object, path Pattern
	text         string
	facts        int
}

// Accepted returns the accepted differences, in the order of the page.
func Accepted() ([]*Difference, error) {
	var all []*Difference
	if err := yaml.UnmarshalStrict(acceptedText, &all); err != nil {
		return nil, fmt.Errorf("tests/contract/accepted.yaml: %w", err)
	}
	for _, each := range all {
		if each.Area == "" || each.What == "" || each.Who == "" || each.Do == "" || len(each.Facts) == 0 {
			return nil, fmt.Errorf("tests/contract/accepted.yaml: %q needs area, what, who, do and facts", each.What)
		}
		for object, paths := range each.Facts {
			for _, path := range paths {
				added := &row{text: object + " " + path}
				if err := added.compile(object, path); err != nil {
					return nil, fmt.Errorf("tests/contract/accepted.yaml: %s: %w", added.text, err)
				}
				each.rows = append(each.rows, added)
			}
		}
	}
	return all, nil
}

// compile refuses a row that would hide what nobody has looked at: all facts of objects of a pattern, or a path of all objects.
func (r *row) compile(object, path string) error {
	kind, name, _ := strings.Cut(object, "/")
	switch {
	case strings.Contains(kind, "*"):
		return fmt.Errorf("name the kind")
	case path == "*" && strings.Contains(name, "*"), strings.Trim(name, "*") == "" && strings.Trim(path, "*") == "":
		return fmt.Errorf("a row for all facts names its object")
	}
	for text, into := range map[string]*Pattern{object: &r.object, path: &r.path} {
		if err := into.UnmarshalJSON(fmt.Appendf(nil, "%q", text)); err != nil {
			return err
		}
	}
	return nil
}

// accepts reports whether the difference covers a change in a mode.
func (d *Difference) accepts(mode string, change facts.Change) bool {
	if d.Added && change.Before != nil {
		return false
	}
	if len(d.In) > 0 {
		found := false
		for _, in := range d.In {
			found = found || in.Matches(mode)
		}
		if !found {
			return false
		}
	}
	for _, each := range d.rows {
		if each.object.Matches(change.Object) && each.path.Matches(change.Path) {
			each.facts++
			return true
		}
	}
	return false
}

// Unused returns the rows that accept no change.
func (d *Difference) Unused() []string {
	var found []string
	for _, each := range d.rows {
		if each.facts == 0 {
			found = append(found, d.What+": "+each.text)
		}
	}
	return found
}
