// Package proof proves overrides: it compares the manifests of a chart without
// and with them.
package proof

import (
	"crypto/sha256"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/locate"
	"gitops-runtime/imageoverride/mapping"
)

// Change is a field without an image that the overrides changed.
type Change struct {
	Field  string `json:"field"`
	Before string `json:"before"`
	After  string `json:"after"`
	// Immutable reports whether Kubernetes rejects the change on an upgrade.
	Immutable bool `json:"immutable,omitempty"`
}

// Outside is an image that is not at the private registry.
type Outside struct {
	Object   string `json:"object"`
	Path     string `json:"path"`
	Image    string `json:"image"`
	Template string `json:"template"`
}

// OutsideOf returns the locations that are not private, in the given order.
func OutsideOf(locations []locate.Location, mapper mapping.Mapper) []Outside {
	var all []Outside
	for _, location := range locations {
		if !mapper.Private(location.Image) {
			all = append(all, Outside{
				Object: location.Field.Object.String(), Path: location.Field.Path,
				Image: location.Text(), Template: location.Field.Object.Template,
			})
		}
	}
	return all
}

// Comparer compares renders of one chart. It caches the differences of two
// documents, since most documents are the same from scenario to scenario. It is
// not safe for concurrent use.
type Comparer struct {
	index *locate.Index
	known map[[2]chartrender.Document][]difference
}

// NewComparer creates a Comparer.
func NewComparer(index *locate.Index) *Comparer {
	return &Comparer{index: index, known: map[[2]chartrender.Document][]difference{}}
}

// difference is a field that is not the same in two documents, by its ID.
type difference struct {
	id                string
	before, after     locate.Field
	inBefore, inAfter bool
}

// image is a field that contains images, and its planned text.
type image struct {
	field locate.Field
	want  string
}

// Compare returns the fields in which two renders differ, except for planned images and checksums. The locations are those of the first render; target
// returns the target of each image.
func (c *Comparer) Compare(before, after []chartrender.Document, locations []locate.Location, target func(locate.Location) string) ([]Change, error) {
	left, right := byKey(before), byKey(after)
	planned := map[string]map[string]image{}
	for _, group := range byField(locations) {
		field := group[0].Field
		key := chartrender.Document{Template: field.Object.Template, Index: field.Object.Index}.Key()
		if planned[key] == nil {
			planned[key] = map[string]image{}
		}
		planned[key][field.ID()] = image{field, replaced(group, target)}
	}
	var changes []Change
	for _, key := range keys(left, right) {
		a, inBefore := left[key]
		b, inAfter := right[key]
		if a.Text == b.Text && inBefore == inAfter {
			continue
		}
		if (a.Definition() || b.Definition()) && planned[key] == nil {
			changes = append(changes, Change{Field: "CustomResourceDefinition of template " + a.Template + b.Template, Before: "its text", After: "another text"})
			continue
		}
		differences, err := c.differences(a, inBefore, b, inAfter)
		if err != nil {
			return nil, err
		}
		changes = append(changes, unplanned(differences, planned[key])...)
	}
	return changes, nil
}

// differences returns the fields that differ in two documents.
func (c *Comparer) differences(a chartrender.Document, inBefore bool, b chartrender.Document, inAfter bool) ([]difference, error) {
	pair := [2]chartrender.Document{a, b}
	if known, ok := c.known[pair]; ok {
		return known, nil
	}
	was, err := c.fields(a, inBefore)
	if err != nil {
		return nil, err
	}
	is, err := c.fields(b, inAfter)
	if err != nil {
		return nil, err
	}
	all := []difference{}
	for id, before := range was {
		after, still := is[id]
		if !still || before.Literal != after.Literal || before.Value != after.Value {
			all = append(all, difference{id, before, after, true, still})
		}
	}
	for id, after := range is {
		if _, known := was[id]; !known {
			all = append(all, difference{id: id, after: after, inAfter: true})
		}
	}
	c.known[pair] = all
	return all, nil
}

func (c *Comparer) fields(document chartrender.Document, present bool) (map[string]locate.Field, error) {
	all := map[string]locate.Field{}
	if !present {
		return all, nil
	}
	list, err := c.index.Fields(document)
	if err != nil {
		return nil, err
	}
	for _, field := range list {
		all[field.ID()] = field
	}
	return all, nil
}

// unplanned returns the changes other than planned images: fields that differ, and images that did not change as planned.
func unplanned(differences []difference, images map[string]image) []Change {
	var changes []Change
	differ := map[string]bool{}
	for _, one := range differences {
		differ[one.id] = true
		wanted, isImage := images[one.id]
		asPlanned := isImage && one.after.Value == wanted.want || !isImage && isChecksum(one.before, one.after)
		switch {
		case !one.inBefore:
			changes = append(changes, Change{Field: Place(one.after), After: shown(one.after)})
		case !one.inAfter || one.before.Literal != one.after.Literal || !asPlanned:
			changes = append(changes, Change{Field: Place(one.before), Before: shown(one.before), After: shown(one.after), Immutable: one.inAfter && immutable(one.before)})
		}
	}
	for id, one := range images {
		if field := one.field; !differ[id] && field.Value != one.want {
			changes = append(changes, Change{Field: Place(field), Before: shown(field), After: shown(field), Immutable: immutable(field)})
		}
	}
	sort.Slice(changes, func(a, b int) bool { return changes[a].Field < changes[b].Field })
	return changes
}

// Place returns the place of a field for output: object and path.
func Place(field locate.Field) string {
	return strings.TrimSpace(field.Object.String() + " " + field.Path)
}

// immutables matches, by kind, the paths of fields that Kubernetes does not allow to change:
// https://kubernetes.io/docs/concepts/workloads and the API reference of each.
var immutables = map[string]*regexp.Regexp{
	"Deployment":            regexp.MustCompile(`^spec\.selector\b`),
	"ReplicaSet":            regexp.MustCompile(`^spec\.selector\b`),
	"DaemonSet":             regexp.MustCompile(`^spec\.selector\b`),
	"StatefulSet":           regexp.MustCompile(`^spec\.(selector|serviceName|podManagementPolicy|volumeClaimTemplates)\b`),
	"Job":                   regexp.MustCompile(`^spec\.(selector|template|completionMode)\b`),
	"PersistentVolumeClaim": regexp.MustCompile(`^spec\.(accessModes|selector|storageClassName|volumeMode|volumeName)\b`),
	"StorageClass":          regexp.MustCompile(`^(provisioner|parameters|reclaimPolicy|volumeBindingMode)\b`),
	"RoleBinding":           regexp.MustCompile(`^roleRef\b`),
	"ClusterRoleBinding":    regexp.MustCompile(`^roleRef\b`),
}

var identity = regexp.MustCompile(`^(apiVersion|kind|metadata\.name|metadata\.namespace)$`)

// immutable reports whether an upgrade cannot change a field, or its change would create another object.
func immutable(field locate.Field) bool {
	if identity.MatchString(field.Path) {
		return true
	}
	form := immutables[field.Object.Kind]
	return form != nil && form.MatchString(field.Path)
}

// shown returns a field's text for output; the content of Secrets is not shown.
func shown(field locate.Field) string {
	if field.Object.Kind == "Secret" && field.Value != "" {
		return "(content of a Secret)"
	}
	return field.Value
}

var (
	hexNumber    = regexp.MustCompile(`[0-9a-f]{8,128}`)
	checksumName = regexp.MustCompile(`(?i)(checksum|hash|sha256|sha1|md5)`)
	annotation   = regexp.MustCompile(`(^|\.)annotations\.`)
)

// isChecksum reports whether a field is an annotation or named for a checksum, and its two texts differ only in hexadecimal numbers. A hash in a name, a
// selector or a claim is none: its change makes other objects.
func isChecksum(a, b locate.Field) bool {
	named := checksumName.MatchString(a.Key) || a.Key == "value" && checksumName.MatchString(a.Name)
	if contentID(a) && contentID(b) {
		return true
	}
	if immutable(a) || !named && !annotation.MatchString(a.Path) || strings.Contains(strings.ToLower(a.Path), "selector") || strings.Contains(a.Path, "abels.") {
		return false
	}
	if strings.Contains(strings.ToLower(a.Key), "checksum") {
		return true
	}
	return hexNumber.ReplaceAllString(a.Value, "#") == hexNumber.ReplaceAllString(b.Value, "#")
}

// contentID reports whether a field in the YAML of a ConfigMap is an "id" of 64 hexadecimal digits: the SHA-256 of what it is next to, as in Jenkins's
// templates of pods.
func contentID(field locate.Field) bool {
	return field.Key == "id" && strings.Contains(field.Path, " > ") && len(field.Value) == sha256.Size*2 && hexNumber.FindString(field.Value) == field.Value
}

// byField groups locations in the same field; they are adjacent.
func byField(locations []locate.Location) [][]locate.Location {
	var groups [][]locate.Location
	for i, location := range locations {
		if i > 0 && location.Field.ID() == locations[i-1].Field.ID() {
			groups[len(groups)-1] = append(groups[len(groups)-1], location)
			continue
		}
		groups = append(groups, []locate.Location{location})
	}
	return groups
}

// replaced returns a field's text with all its images replaced.
func replaced(group []locate.Location, target func(locate.Location) string) string {
	var text strings.Builder
	at := 0
	for _, location := range group {
		text.WriteString(location.Field.Value[at:location.Start] + target(location))
		at = location.End
	}
	return text.String() + group[0].Field.Value[at:]
}

func byKey(documents []chartrender.Document) map[string]chartrender.Document {
	all := make(map[string]chartrender.Document, len(documents))
	for _, document := range documents {
		all[document.Key()] = document
	}
	return all
}

func keys(versions ...map[string]chartrender.Document) []string {
	set := map[string]bool{}
	for _, m := range versions {
		for key := range m {
			set[key] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}
