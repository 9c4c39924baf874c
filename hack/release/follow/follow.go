// Package follow compares two tables of facts of the published chart and says what each difference asks of this project: nothing but other images, values,
// or a person who looks at variables, permissions and objects of programs whose source is not public. The tables have the columns scenario, kind, object,
// container, aspect, key and value.
package follow

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Row is one fact of a published chart.
type Row struct{ Scenario, Kind, Object, Container, Aspect, Key, Value string }

// columns is the heading of a table.
const columns = "scenario\tkind\tobject\tcontainer\taspect\tkey\tvalue"

// Read reads a table; name appears in errors.
func Read(name string, from io.Reader) ([]Row, error) {
	var rows []Row
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for number := 1; lines.Scan(); number++ {
		fields := strings.Split(lines.Text(), "\t")
		switch {
		case number == 1 && lines.Text() != columns:
			return nil, fmt.Errorf("%s is not a table of facts: its first line has to be %q", name, columns)
		case number == 1:
		case len(fields) != 7:
			return nil, fmt.Errorf("%s:%d has %d columns instead of 7", name, number, len(fields))
		default:
			rows = append(rows, Row{fields[0], fields[1], fields[2], fields[3], fields[4], fields[5], fields[6]})
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s has no facts", name)
	}
	return rows, nil
}

// String returns the row as a line of a table.
func (r Row) String() string {
	return strings.Join([]string{r.Scenario, r.Kind, r.Object, r.Container, r.Aspect, r.Key, r.Value}, "\t")
}

// place is a row without its value.
func (r Row) place() Row { r.Value = ""; return r }

// common is the scenario that others only differ from; absent is the value of a fact that it has, and that another scenario lacks.
const (
	common = "tunnel"
	absent = "(absent)"
)

// Difference is a fact that only one of two versions has, or that has another value.
type Difference struct {
	Row
	// Before is the former value; nil if the fact is new.
	Before *string
	// Gone is true if the new version lacks the fact; Value is the former one then.
	Gone bool
	// Class is one of Classes.
	Class string
	// Closed is true if the object runs a program whose source is not public.
	Closed bool
}

// Compare returns the differences of two tables, classified, in the order of the new one; facts that are gone are last. That a scenario lacks a fact counts
// as different if the fact itself is.
func Compare(before, after []Row) []Difference {
	have, was := map[Row]bool{}, map[Row][]string{}
	for _, row := range before {
		have[row] = true
		was[row.place()] = append(was[row.place()], row.Value)
	}
	closed := closedObjects(before, after)
	is := map[Row][]string{}
	for _, row := range after {
		is[row.place()] = append(is[row.place()], row.Value)
	}
	var all []Difference
	for _, row := range after {
		base := row.place()
		base.Scenario = common
		sameBase := slices.Equal(was[base], is[base])
		if have[row] && (row.Value != absent || row.Scenario == common || sameBase) {
			continue
		}
		one := Difference{Row: row, Closed: closed[[2]string{row.Kind, row.Object}]}
		if values := was[row.place()]; len(values) > 0 {
			one.Before = &values[0]
		}
		all = append(all, one)
	}
	for _, row := range before {
		if len(is[row.place()]) == 0 {
			all = append(all, Difference{Row: row, Gone: true, Closed: closed[[2]string{row.Kind, row.Object}]})
		}
	}
	for i := range all {
		all[i].Class = classify(all[i])
	}
	return all
}

// closed matches the images whose source is not public.
var closed = regexp.MustCompile(`^quay\.io/(codefresh|codefreshplugins)/`)

// closedObjects returns the objects that run a closed program, and those of the same name.
func closedObjects(tables ...[]Row) map[[2]string]bool {
	names := map[string]bool{}
	for _, rows := range tables {
		for _, row := range rows {
			if row.Aspect == "image" && closed.MatchString(row.Value) {
				names[row.Object] = true
			}
		}
	}
	found := map[[2]string]bool{}
	for _, rows := range tables {
		for _, row := range rows {
			for name := range names {
				if strings.TrimSuffix(strings.TrimSuffix(row.Object, "-cm"), "-cmd-params") == name {
					found[[2]string{row.Kind, row.Object}] = true
				}
			}
		}
	}
	return found
}

// Class says what a kind of difference asks for.
type Class struct {
	Name string
	// Person is true if somebody has to look at it; what else the command writes is enough.
	Person bool
	What   string
}

// Classes returns the classes, in the order of the report.
func Classes() []Class {
	return []Class{
		{"image set", false, "another version of the same image: written to images.tsv"},
		{"tuning", false, "resources, probes, replicas and limits: values of the same fields"},
		{"new image", true, "an image that the other version lacks: where its source is, what it needs, whether it can be mirrored"},
		{"variables", true, "variables and arguments: what reads them, and which value sets them"},
		{"settings", true, "configuration in ConfigMaps, Secrets and other fields"},
		{"files", true, "mounted Secrets, ConfigMaps and certificates"},
		{"rights", true, "permissions and service accounts: their reason, and the least that is enough"},
		{"network", true, "ports, routes and policies"},
		{"objects", true, "objects that come and go"},
		{"hooks", true, "what Helm runs, and when"},
		{"definitions", true, "CustomResourceDefinitions: copied from the table by make generate"},
		{"labels", true, "labels and selectors: programs look some of them up, and selectors cannot change"},
		{"dependencies", true, "what the charts that it depends on show to others"},
		{unclassified, true, "an aspect that this command does not know: add it to classify"},
	}
}

const unclassified = "unclassified"

// byAspect are the classes of the aspects of a table.
var byAspect = map[string]string{
	"env": "variables", "arg": "variables", "rule": "rights", "serviceAccount": "rights", "crd": "definitions", "hook": "hooks", "object": "objects",
	"label": "labels", "podLabel": "labels", "annotation": "labels", "podAnnotation": "labels", "selector": "labels", "data": "settings", "spec": "settings",
	"securityContext": "settings", "mount": "files", "route": "network", "port": "network", "servicePort": "network",
	"image": "image set", "resources": "tuning", "strategy": "tuning", "probe": "tuning", "lifecycle": "tuning",
}

// image matches a reference to an image with a tag.
var image = regexp.MustCompile(`^([\w.-]+\.[\w.-]+(?::\d+)?/[\w./-]+):([\w.{}-]+)$`)

func classify(d Difference) string {
	class, known := byAspect[d.Aspect]
	isImage := d.Aspect == "image" && d.Value != absent || d.Aspect == "data" && image.MatchString(d.Value)
	switch {
	case d.Scenario == "subcharts":
		return "dependencies"
	case isImage && d.Before != nil && image.ReplaceAllString(*d.Before, "$1") == image.ReplaceAllString(d.Value, "$1"):
		return "image set"
	case isImage:
		return "new image"
	case !known:
		return unclassified
	case d.Kind == "NetworkPolicy" || d.Kind == "Ingress" || d.Kind == "HTTPRoute":
		return "network"
	case class == "tuning" && d.Before == nil && !d.Gone && d.Aspect == "probe":
		return "settings"
	}
	return class
}

// Verdict says in one sentence what a new version asks for.
func Verdict(all []Difference) string {
	people := 0
	classes := map[string]bool{}
	for _, one := range all {
		classes[one.Class] = true
		if person(one.Class) {
			people++
		}
	}
	switch {
	case len(all) == 0:
		return "Nothing differs."
	case people > 0:
		return fmt.Sprintf("A person has to look at %d of %d differences.", people, len(all))
	case classes["tuning"]:
		return fmt.Sprintf("Images and values of known fields only: %d differences.", len(all))
	}
	return fmt.Sprintf("The image set only: %d differences.", len(all))
}

func person(class string) bool {
	return slices.ContainsFunc(Classes(), func(each Class) bool { return each.Name == class && each.Person })
}

// Unclassified returns the aspects that no class covers.
func Unclassified(all []Difference) []string {
	var found []string
	for _, one := range all {
		if one.Class == unclassified && !slices.Contains(found, one.Aspect) {
			found = append(found, one.Aspect)
		}
	}
	return found
}
