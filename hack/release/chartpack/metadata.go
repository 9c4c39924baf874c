package chartpack

import (
	"cmp"
	"fmt"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"sigs.k8s.io/yaml"
)

// prefix begins the names of ArtifactHub's annotations.
const prefix = "artifacthub.io/"

// umbrella is the chart whose links also show the pages of the repository.
const umbrella = "gitops-runtime"

// metadata returns the published content of a Chart.yaml. In the checkout it has no address: home, sources, maintainers, icon and links are those of
// the publisher. Charts of other projects' programs keep the home, icon and sources of these projects.
func (p Place) metadata(tree *chart.Metadata) (*chart.Metadata, error) {
	published := *tree
	published.Dependencies = nil
	for _, dependency := range tree.Dependencies {
		moved := *dependency
		if strings.HasPrefix(moved.Repository, "file://") {
			moved.Repository = "oci://" + p.Registry
		}
		published.Dependencies = append(published.Dependencies, &moved)
	}
	published.Home, published.Icon = cmp.Or(tree.Home, p.Address.Repository), cmp.Or(tree.Icon, p.Address.Icon)
	if p.Address.Repository != "" {
		published.Sources = append([]string{p.Address.Repository}, tree.Sources...)
	}
	published.Maintainers = nil
	for _, one := range p.Address.Maintainers {
		published.Maintainers = append(published.Maintainers, &chart.Maintainer{Name: one.Name, Email: one.Email, URL: one.URL})
	}
	published.Annotations = map[string]string{}
	for key, value := range tree.Annotations {
		if key == prefix+"images" {
			value = p.images(value)
		}
		published.Annotations[key] = value
	}
	if pages := p.Address.Page(p.Revision, ""); pages != "" && tree.Name == umbrella {
		published.Annotations["gitops-runtime/pages"] = strings.TrimSuffix(pages, "/") // for the links of alerts
	}
	links, err := yaml.Marshal(p.links(tree.Name))
	if err != nil {
		return nil, err
	}
	if text := string(links); text != "[]\n" {
		published.Annotations[prefix+"links"] = text
	}
	return &published, nil
}

// link is an entry of ArtifactHub's annotation links: https://artifacthub.io/docs/topics/annotations/helm
type link struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// links returns the pages of a chart; ArtifactHub shows the one named support as the place to report an issue.
func (p Place) links(chart string) []link {
	pages := [][2]string{{"Documentation", "charts/" + chart + "/README.md"}}
	if chart == umbrella {
		pages = append(pages, [][2]string{
			{"Values", "docs/values.md"}, {"Upgrade and migration", "docs/upgrade-and-migration.md"}, {"Troubleshooting", "docs/troubleshooting.md"},
			{"Security", "docs/security.md"}, {"Changelog", "CHANGELOG.md"},
		}...)
	}
	all := []link{{"support", p.Address.SupportLink()}, {"Report a vulnerability", p.Address.SecurityLink()}}
	for _, page := range pages {
		all = append(all, link{page[0], p.Address.Page(p.Revision, page[1])})
	}
	found := []link{}
	for _, one := range all {
		if one.URL != "" {
			found = append(found, one)
		}
	}
	return found
}

// images returns a list of images for ArtifactHub, with the published references of the product's images, and the locked digests of others.
func (p Place) images(list string) string {
	lines := strings.Split(list, "\n")
	for i, line := range lines {
		before, reference, found := strings.Cut(line, "image: "+p.Address.Images()+"/")
		if !found {
			_, reference, _ = strings.Cut(line, "image: ")
			if digest, locked := p.Locked[reference]; locked {
				lines[i] = line + "@" + digest
			}
			continue
		}
		name, _, _ := strings.Cut(reference, ":")
		if digest, published := p.Digests[name]; published {
			lines[i] = fmt.Sprintf("%simage: %s/%s@%s", before, p.Registry, reference, digest)
		}
	}
	return strings.Join(lines, "\n")
}
