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
	number       = regexp.MustCompile(`^literal:[\w.-]*\d[\w.-]*$`)
	chartVersion = regexp.MustCompile(`^literal:\{(chart|app)Version\}`)
	placeholder  = regexp.MustCompile(`\{\w+\}`)
)

// env judges a variable by what the program gets at last, whichever way it comes there.
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
	if p.there {
		have = effective(c.look, p.have)
	}
	switch {
	case want == unset && have == unset && !p.there:
		return Judgment{Outcome: Inert}
	case want == unset && have == unset:
		return Judgment{Satisfied, p.have}
	case (want == unset || want == "literal:") && (have == unset || have == "literal:"):
		return Judgment{Equivalent, orUnset(p.have)}
	case !p.there:
		return Judgment{Outcome: Missing}
	case c.ownSecrets(want, have), want == have, plain(strings.TrimPrefix(want, "literal:")) == plain(strings.TrimPrefix(have, "literal:")):
		return Judgment{Equivalent, p.have}
	case strings.Contains(want, "{imageTag}") && !strings.Contains(have, "{imageTag}"), number.MatchString(want) && chartVersion.MatchString(have):
		return Judgment{Satisfied, p.have}
	case strings.Contains(want+have, "{chartVersion}") || strings.Contains(want, "{appVersion}"):
		if placeholder.ReplaceAllString(want, "") == placeholder.ReplaceAllString(have, "") {
			return Judgment{Equivalent, p.have}
		}
	}
	return Judgment{Different, p.have}
}

func orUnset(value string) string {
	if value == "" {
		return unset
	}
	return value
}

// effective is what a variable is at last: a literal, unset, or what only the cluster knows.
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

// ownSecrets reports whether both values come from Secrets that each chart creates itself: neither their names nor whether they may lack are a matter of the program's.
func (c *Comparison) ownSecrets(want, have string) bool {
	theirs, ours := secretKey.FindStringSubmatch(want), secretKey.FindStringSubmatch(have)
	if theirs == nil || ours == nil || theirs[1] == ours[1] && theirs[2] != ours[2] {
		return false
	}
	_, made := c.contract.objects[facts.Object{Kind: "Secret", Name: theirs[1]}]
	_, makes := c.look(facts.Object{Kind: "Secret", Name: ours[1]})
	return made && makes
}

// inEnvironment reports whether a ConfigMap that this chart lacks is read by nothing but variables, each of which is kept.
func (c *Comparison) inEnvironment(name string) bool {
	known, ok := c.unread[name]
	if ok {
		return known
	}
	c.unread[name] = false
	readers := c.contract.readers[name]
	kept := len(readers) > 0
	for _, fact := range readers {
		_, there := c.object(fact.Object)
		kept = kept && there && !c.Judge(fact, c.contract.whole[fact]).Outcome.Breaks()
	}
	c.unread[name] = kept
	return kept
}
