package chartpack

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// values returns default values as they are published, and the names of the product's images in them. These images have their published repositories
// and digests. Images of other projects have their locked digest behind the tag, so that a user who sets another tag gets that image: the value digest
// would take precedence over it. Everything else, comments included, is as in the source tree.
func (p Place) values(text []byte, appVersion string) ([]byte, []string, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, nil, fmt.Errorf("values: %w", err)
	}
	lines := strings.Split(string(text), "\n")
	var named []string
	for _, image := range imagesIn(&document) {
		name, own := strings.CutPrefix(image["repository"].Value, p.Address.Images()+"/")
		digest, published := p.Digests[name]
		if !own || !published {
			continue
		}
		set(lines, image["repository"], p.Registry+"/"+name)
		set(lines, image["digest"], digest)
		named = append(named, name)
	}
	for _, image := range imagesIn(&document) {
		if tag := image["tag"]; tag != nil && image["digest"].Value == "" {
			written := cmp.Or(tag.Value, appVersion)
			if digest, locked := p.Locked[referenceOf(image, written)]; locked {
				set(lines, tag, written+"@"+digest)
			}
		}
	}
	for _, node := range scalarsIn(&document) {
		if digest, locked := p.Locked[node.Value]; locked {
			set(lines, node, node.Value+"@"+digest)
		}
	}
	return []byte(strings.Join(lines, "\n")), named, nil
}

// referenceOf returns the reference of an image with a tag: the fields registry and repository as templates combine them without global.imageRegistry.
func referenceOf(image map[string]*yaml.Node, tag string) string {
	reference := image["repository"].Value + ":" + tag
	if registry := image["registry"]; registry != nil && registry.Value != "" {
		return registry.Value + "/" + reference
	}
	return reference
}

// scalarsIn returns the values below a node that are texts, and not keys.
func scalarsIn(node *yaml.Node) []*yaml.Node {
	var found []*yaml.Node
	for i, below := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 0 {
			continue
		}
		if below.Kind == yaml.ScalarNode {
			found = append(found, below)
		}
		found = append(found, scalarsIn(below)...)
	}
	return found
}

// imagesIn returns the maps below a node that have a repository and a digest.
func imagesIn(node *yaml.Node) []map[string]*yaml.Node {
	var found []map[string]*yaml.Node
	if node.Kind == yaml.MappingNode {
		fields := map[string]*yaml.Node{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			fields[node.Content[i].Value] = node.Content[i+1]
		}
		if fields["repository"] != nil && fields["digest"] != nil {
			found = append(found, fields)
		}
	}
	for _, below := range node.Content {
		found = append(found, imagesIn(below)...)
	}
	return found
}

// set replaces a scalar that does not span several lines.
func set(lines []string, node *yaml.Node, value string) {
	line := lines[node.Line-1]
	before, rest := line[:node.Column-1], line[node.Column-1:]
	length := len(node.Value)
	if node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		length += 2
	}
	lines[node.Line-1] = before + value + rest[length:]
}

// Image is an image that values reference.
type Image struct{ Repository, Digest string }

// Named returns the images that values reference by repository and digest, sorted.
func Named(text []byte) ([]Image, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("values: %w", err)
	}
	var all []Image
	for _, fields := range imagesIn(&document) {
		all = append(all, Image{fields["repository"].Value, fields["digest"].Value})
	}
	slices.SortFunc(all, func(a, b Image) int { return strings.Compare(a.Repository+a.Digest, b.Repository+b.Digest) })
	return all, nil
}
