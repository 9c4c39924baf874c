package solve

import (
	"regexp"
	"slices"
	"strings"

	"gitops-runtime/imageoverride/locate"
)

// computed matches a line of a template that computes something about an image, other than its pull policy and secrets.
var computed = regexp.MustCompile(`(?i)\{\{.*image($|[^p]|p[^u])|image($|[^p]|p[^u]).*\{\{`)

// open returns the images that another value may redirect: not those that their template writes as they are, such as `image: busybox` in the test that
// `helm create` writes.
func (s Solver) open(scenarios []Scenario, left []Unreached) []Unreached {
	if s.Source == nil {
		return left
	}
	return slices.DeleteFunc(slices.Clone(left), func(one Unreached) bool {
		at := slices.IndexFunc(scenarios, func(scenario Scenario) bool { return scenario.Name == one.Scenario })
		return at >= 0 && written(s.Source(one.Location.Field.Object.Template), scenarios[at].Locations, one.Location)
	})
}

// written reports whether the text of a template has the image in as many lines as it is rendered, and computes nothing about images.
func written(source string, all []locate.Location, image locate.Location) bool {
	if source == "" || computed.MatchString(source) {
		return false
	}
	lines, rendered := 0, 0
	for line := range strings.SplitSeq(source, "\n") {
		key, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "- "), ":")
		if strings.Trim(key, `"' `) == image.Field.Key && strings.Trim(value, `"' `) == image.Field.Value {
			lines++
		}
	}
	for _, other := range all {
		if other.Field.Object.Template == image.Field.Object.Template && other.Field.Key == image.Field.Key && other.Field.Value == image.Field.Value {
			rendered++
		}
	}
	return lines > 0 && lines == rendered
}
