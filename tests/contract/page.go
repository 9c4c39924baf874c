package contract

import (
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

// Path is the path of the page of differences, relative to the repository's root.
const Path = "docs/differences.md"

//go:embed page.md.tmpl
var page string

// closed matches the images whose source is not public, which may depend on anything that the published chart gives them.
var closed = regexp.MustCompile(`^quay\.io/(codefresh/(cap-app-proxy|cap-app-proxy-init|leader-elector|codefresh-gitops-operator|cf-argocd-extras)|codefreshplugins/[\w-]+):`)

// Page returns the page of differences between the published chart and this one.
func Page(comparison *Comparison, outcomes []Outcome) (string, error) {
	parsed, err := template.New("page").Parse(page)
	if err != nil {
		return "", fmt.Errorf("template of the page of differences: %w", err)
	}
	data := struct {
		Version     string
		Modes, Same int
		Images      []string
		Areas       []area
	}{Version: Version, Areas: areas(comparison.Accepted)}
	images := map[string]bool{}
	for _, each := range outcomes {
		if each.Partial {
			continue
		}
		data.Modes, data.Same = data.Modes+1, data.Same+each.Same+each.Ruled
		for _, paths := range each.Facts {
			for _, value := range paths {
				if closed.MatchString(value) && !strings.Contains(value, "/mirror/") {
					images[value] = true
				}
			}
		}
	}
	data.Images = slices.Sorted(maps.Keys(images))
	var out strings.Builder
	if err := parsed.Execute(&out, data); err != nil {
		return "", fmt.Errorf("template of the page of differences: %w", err)
	}
	return out.String(), nil
}

// area is a section of the page.
type area struct {
	Name        string
	Differences []*Difference
}

func areas(all []*Difference) []area {
	var found []area
	for _, each := range all {
		at := slices.IndexFunc(found, func(a area) bool { return a.Name == each.Area })
		if at < 0 {
			at, found = len(found), append(found, area{Name: each.Area})
		}
		found[at].Differences = append(found[at].Differences, each)
	}
	return found
}

// Where returns the objects of a difference, shortened if they are many.
func (d *Difference) Where() string {
	objects := slices.Sorted(maps.Keys(d.Facts))
	const many = 6
	more := ""
	if len(objects) > many {
		more = fmt.Sprintf(" and %d more", len(objects)-many)
		objects = objects[:many]
	}
	for i, object := range objects {
		objects[i] = "`" + strings.TrimPrefix(strings.Replace(object, "RIGHTS nspname/", "permissions of ", 1), "RIGHTS ") + "`"
	}
	return strings.Join(objects, ", ") + more
}

// Preview returns links to the sections of `validate-values preview` that show the difference.
func (d *Difference) Preview() string {
	sections := map[string]bool{}
	for object, paths := range d.Facts {
		kind, _, _ := strings.Cut(object, "/")
		for _, path := range paths {
			switch {
			case strings.HasPrefix(object, "RIGHTS "), kind == "NetworkPolicy":
				sections["reach"] = true
			case kind == "Job":
				sections["hooks"] = true
			case strings.HasSuffix(path, ".image"):
				sections["images"] = true
			case strings.HasPrefix(path, "c["), strings.HasPrefix(path, "init["), strings.HasPrefix(path, "pod"), strings.HasPrefix(path, "volume("):
				sections["restarts"] = true
			default:
				sections["objects"] = true
			}
		}
	}
	var links []string
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		links = append(links, fmt.Sprintf("[%s](preview.md#%s)", name, name))
	}
	return strings.Join(links, ", ")
}
