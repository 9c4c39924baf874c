package solve

import (
	"slices"
	"strings"

	"gitops-runtime/imageoverride/locate"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/internal/helmvalues"
)

// maxGuesses limits the renders for values that templates change before they print them.
const maxGuesses = 40

// guess sets values that are the same image as one that is left, or its name, in another form to the target. Marks do not show these: with
// `trimPrefix "docker.io/"`, for example, "docker.io/team/app:1" renders as "team/app:1", and a mark before it prevents this; a mark after "quay.io/"
// prevents what `trimSuffix "/"` does.
func (s Solver) guess(scenarios []Scenario, best *Solution) {
	renders := 0
	done := map[string]bool{}
	for _, left := range best.Unreached {
		for _, scenario := range scenarios {
			if scenario.Name != left.Scenario {
				continue
			}
			for _, leaf := range helmvalues.Leaves(scenario.Base.Values) {
				override, ok := s.alike(leaf, left)
				if key := leaf.Path.String(); !ok || done[key] || s.Banned[key] || (&problem{scenarios: scenarios}).isDivided(leaf.Path) || differ(scenarios, leaf) {
					continue
				}
				if renders++; renders > maxGuesses {
					return
				}
				if s.moves(scenario, append(append([]Override{}, best.Names...), override), left) {
					done[leaf.Path.String()] = true
					best.Names = append(best.Names, override)
				}
			}
		}
	}
}

// differ reports whether the scenarios have several values at the path of a leaf.
func differ(scenarios []Scenario, leaf helmvalues.Leaf) bool {
	return slices.ContainsFunc(scenarios, func(scenario Scenario) bool {
		value, _ := helmvalues.Get(scenario.Base.Values, leaf.Path)
		return value != leaf.Value
	})
}

// alike returns the new text of a leaf that is the image in another form, or an address above it.
func (s Solver) alike(leaf helmvalues.Leaf, left Unreached) (Override, bool) {
	text, isText := leaf.Value.(string)
	if base := strings.TrimSuffix(text, "/"); base != "" {
		if rest, ok := strings.CutPrefix(left.Location.Text(), base+"/"); ok && strings.HasSuffix(left.Target, "/"+rest) {
			return Override{Path: leaf.Path, Text: strings.TrimSuffix(left.Target, "/"+rest) + text[len(base):]}, true
		}
	}
	image, err := mapping.Parse(strings.ToLower(text))
	if !isText || err != nil || image.Name() != left.Location.Image.Name() {
		return Override{}, false
	}
	return Override{Path: leaf.Path, Text: s.Mapper.Target(image).String()}, true
}

// moves reports whether overrides change an image to its target.
func (s Solver) moves(scenario Scenario, overrides []Override, left Unreached) bool {
	tree, err := Tree(overrides, scenario.Base.Values)
	if err != nil {
		return false
	}
	output, err := s.Render(helmvalues.Merge(scenario.User, tree))
	if err != nil {
		return false
	}
	field := left.Location.Field
	for _, document := range output.Documents {
		if document.Template != field.Object.Template || document.Index != field.Object.Index {
			continue
		}
		fields, err := locate.Fields(document, clean)
		for _, one := range fields {
			if err == nil && one.ID() == field.ID() {
				return one.Value == field.Value[:left.Location.Start]+left.Target+field.Value[left.Location.End:]
			}
		}
	}
	return false
}
