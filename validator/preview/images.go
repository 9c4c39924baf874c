package preview

import (
	"fmt"
	"slices"
	"strings"

	"gitops-runtime/internal/facts"
	"gitops-runtime/internal/vulnerable"
)

// images lists the images of containers that change, with the known vulnerabilities that go and come.
func (c *comparison) images() Section {
	section := Section{Name: "images", Title: "Which images change"}
	advisories, err := vulnerable.Known()
	if err != nil {
		section.Unknown = append(section.Unknown, "Known vulnerabilities: "+err.Error()+".")
	}
	found := map[string]*Item{}
	var keys []string
	for _, name := range facts.Union(c.before.named, c.after.named) {
		was, is := containers(c.before.named[name]), containers(c.after.named[name])
		for _, container := range facts.Union(was, is) {
			before, after := was[container], is[container]
			if before == after {
				continue
			}
			key := before + "\n" + after
			if found[key] == nil {
				keys, found[key] = append(keys, key), c.image(advisories, before, after)
			}
			found[key].Details = append(found[key].Details, Detail{Path: name + " " + container})
		}
	}
	for _, key := range keys {
		section.Items = append(section.Items, *found[key])
	}
	if len(section.Items) > 0 && err == nil {
		section.Notes = []string{"Vulnerabilities are those of the list of " + advisories.Date + " that the program was built with. It covers what this project's charts install, and is not complete."}
	}
	return section
}

// containers returns the images of an object's containers by their names.
func containers(of *object) map[string]string {
	found := map[string]string{}
	if of == nil {
		return found
	}
	spec := of.template().sub("spec")
	for _, container := range append(spec.subs("initContainers"), spec.subs("containers")...) {
		found[container.text("name")] = container.text("image")
	}
	return found
}

func (c *comparison) image(advisories vulnerable.List, before, after string) *Item {
	item := &Item{Change: "changed", Object: after, Alarms: []string{"images"}}
	switch {
	case before == "":
		item.Change = "added"
	case after == "":
		item.Change, item.Object = "removed", before
	default:
		item.Message = "was " + before
	}
	was, knownBefore := vulnerabilities(advisories, before)
	is, knownAfter := vulnerabilities(advisories, after)
	fixed, added := without(was, is), without(is, was)
	var said []string
	if len(fixed) > 0 && (knownAfter || after == "") {
		said = append(said, "fixes "+list(fixed))
	}
	if len(added) > 0 && (knownBefore || before == "") {
		said = append(said, "brings "+list(added))
		item.Alarms = append(item.Alarms, "vulnerabilities")
	} else if len(is) > 0 {
		said = append(said, "has "+list(is))
	}
	if after != "" && !knownAfter {
		said = append(said, "vulnerabilities not known")
	}
	item.Message = strings.TrimPrefix(strings.Join(append([]string{item.Message}, said...), "; "), "; ")
	return item
}

// vulnerabilities returns those of an image, as "CVE-1 (high)". A mirror has the path of the image behind its own host, so that path counts, too.
func vulnerabilities(advisories vulnerable.List, image string) (found []string, known bool) {
	repository, tag, _ := strings.Cut(image, "@")
	if at := strings.LastIndex(repository, ":"); at > strings.LastIndex(repository, "/") {
		repository, tag = repository[:at], repository[at+1:]
	}
	for _, product := range advisories.Products {
		for _, listed := range product.Images {
			_, path, _ := strings.Cut(listed, "/")
			if repository != listed && !strings.HasSuffix(repository, "/"+path) {
				continue
			}
			list, covers := advisories.Of(listed, tag)
			known = known || covers
			for _, one := range list {
				found = append(found, fmt.Sprintf("%s (%s)", one.ID, one.Severity))
			}
		}
	}
	return slices.Compact(found), known
}

func without(all, others []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(each string) bool { return slices.Contains(others, each) })
}
