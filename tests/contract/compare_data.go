package contract

import (
	"slices"
	"strings"

	"gitops-runtime/tests/contract/facts"
)

// data compares how nginx's configuration handles requests, not its directives.
func (c *Comparison) data(p place) Judgment {
	if strings.HasPrefix(p.value, "(script") && strings.HasPrefix(p.have, "(script") {
		return Judgment{Equivalent, p.have}
	}
	if !strings.HasPrefix(p.want.Key, "nginx: ") {
		return Judgment{}
	}
	switch {
	case !strings.HasPrefix(p.want.Key, "nginx: route "):
		return Judgment{Outcome: Ignored}
	case !p.exists:
		return Judgment{Outcome: Missing}
	case plain(p.have) == plain(p.value):
		return Judgment{Satisfied, p.have}
	}
	return Judgment{Different, p.have}
}

// definition ignores the order of a field's properties; a schema that accepts anything has no fields.
func (c *Comparison) definition(p place) Judgment {
	words := strings.Fields(p.want.Key)
	if !p.exists && len(words) > 2 && words[0] == "version" {
		root := facts.Fact{Object: p.at.Object, Container: facts.None, Aspect: "crd", Key: words[0] + " " + words[1] + " (root)"}
		if has, ok := c.have.Get(root); ok && strings.HasSuffix(has, "preserve-unknown") {
			if strings.Contains(p.value, " default=") {
				return Judgment{Missing, "the schema accepts anything"}
			}
			return Judgment{Open, "the schema accepts anything"}
		}
	}
	if p.exists && sameWords(p.have, p.value) {
		return Judgment{Equivalent, p.have}
	}
	return Judgment{}
}

func sameWords(a, b string) bool {
	first, second := strings.Split(a, " "), strings.Split(b, " ")
	slices.Sort(first)
	slices.Sort(second)
	return slices.Equal(slices.Compact(first), slices.Compact(second))
}
