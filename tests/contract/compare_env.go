package contract

import (
	"regexp"
	"slices"
	"strings"

	"gitops-runtime/tests/contract/facts"
)

const unset = "unset"

var (
	configMapKey = regexp.MustCompile(`^configMapKeyRef:([^/]+)/(.+?)(:optional)?$`)
	secretKey    = regexp.MustCompile(`^secretKeyRef:([^/]+)/(.*?)(:optional)?$`)
	variable     = regexp.MustCompile(`\{\w+\}`)
)

// env judges a variable by its final value in the program, whatever its source.
func (c *Comparison) env(p place) Judgment {
	if found := c.variable(p); found.Outcome != Different {
		return found
	}
	if want, ok := strings.CutPrefix(p.value, "literal:/"); ok {
		have, ok := strings.CutPrefix(p.have, "literal:/")
		file := mountedFile(c.contract.mountsOf(p.want.Object, p.want.Container), "/"+want)
		if ok && file != "" && file == mountedFile(c.mountsOf(p.at.Object, p.at.Container), "/"+have) {
			return Judgment{Equivalent, p.have}
		}
	}
	if p.want.Key == "NO_PROXY" && contains(p.have, p.value) {
		return Judgment{Equivalent, p.have}
	}
	return Judgment{Different, p.have}
}

func contains(have, want string) bool {
	all := strings.Split(strings.TrimPrefix(have, "literal:"), ",")
	for _, each := range strings.Split(strings.TrimPrefix(want, "literal:"), ",") {
		if !slices.Contains(all, each) {
			return false
		}
	}
	return true
}

func (c *Comparison) variable(p place) Judgment {
	want, have := effective(c.contract.look, p.value), unset
	if p.exists {
		have = effective(c.look, p.have)
	}
	switch {
	case !p.exists:
		return Judgment{Outcome: Missing} // even an empty value or a reference to an unset key, because it passes on a user's setting
	case want == unset:
		return Judgment{Different, p.have}
	case want == "literal:" && have == unset:
		return Judgment{Equivalent, p.have}
	case c.ownSecrets(want, have), want == have, plain(strings.TrimPrefix(want, "literal:")) == plain(strings.TrimPrefix(have, "literal:")):
		return Judgment{Equivalent, p.have}
	case strings.Contains(want+have, "{chartVersion}") || strings.Contains(want, "{appVersion}"):
		if variable.ReplaceAllString(want, "") == variable.ReplaceAllString(have, "") {
			return Judgment{Equivalent, p.have}
		}
	}
	return Judgment{Different, p.have}
}

// effective returns the final value of a variable: a literal, unset, or a source that only the cluster can resolve.
func effective(look func(facts.Object) (facts.Facts, bool), value string) string {
	match := configMapKey.FindStringSubmatch(value)
	if match == nil {
		return value
	}
	name := facts.Object{Kind: "ConfigMap", Name: match[1]}
	all, ok := look(name)
	if !ok {
		return value
	}
	if found, ok := all[facts.Fact{Object: name, Container: facts.None, Aspect: "data", Key: match[2]}]; ok {
		return "literal:" + found
	}
	if match[3] != "" {
		return unset
	}
	return "broken:" + value
}

// look returns the facts of an object of this chart.
func (c *Comparison) look(name facts.Object) (facts.Facts, bool) {
	all, ok := c.have.Objects()[name]
	return all, ok
}

// ownSecrets reports whether both values come from Secrets that each chart creates itself: neither their names nor whether they are optional
// matters to the program.
func (c *Comparison) ownSecrets(want, have string) bool {
	theirs, ours := secretKey.FindStringSubmatch(want), secretKey.FindStringSubmatch(have)
	if theirs == nil || ours == nil || theirs[1] == ours[1] && theirs[2] != ours[2] {
		return false
	}
	_, created := c.contract.objects[facts.Object{Kind: "Secret", Name: theirs[1]}]
	_, rendered := c.look(facts.Object{Kind: "Secret", Name: ours[1]})
	return created && rendered
}
