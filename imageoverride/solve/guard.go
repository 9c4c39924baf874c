package solve

import (
	"regexp"
	"slices"
	"strings"

	"gitops-runtime/internal/helmvalues"
)

// A guard is a template that fails if an image is not the chart's own, unless a switch allows others. For example, with
//
//	{{ if and (ne .Values.image.registry "docker.io") (not .Values.global.security.allowInsecureImages) }}{{ fail "... set global.security.allowInsecureImages to true" }}{{ end }}
//
// every render with marks fails. The message names the switch, or the templates read a value whose name says that it allows something, or that it is strict.

// maxSwitches limits the switches that are changed, maxTurned the renders for finding them.
const (
	maxSwitches = 3
	maxTurned   = 8
)

var (
	dotted = regexp.MustCompile(`[A-Za-z][\w-]*(?:\.[A-Za-z][\w-]*)+`)
	allows = regexp.MustCompile(`(?i)(allow|skip|insecure|unverified|untrusted|unsafe|ignore|force|disable.*(check|verif|valid))`)
	strict = regexp.MustCompile(`(?i)^(.*strict.*|.*(verify|verification|validate|validation|check|checks|enforce|enforced))$`)
)

// switchesFor returns switches that may lift a refusal: first those that the message names, then those whose name allows something or is strict.
func (p *Prober) switchesFor(message string) []Override {
	var named, others []Override
	add := func(to *[]Override, path helmvalues.Path) {
		if len(path) == 0 || slices.ContainsFunc(slices.Concat(named, others, p.switches), func(o Override) bool { return o.Path.String() == path.String() }) {
			return
		}
		node, found := helmvalues.Get(p.Base.Values, path)
		on := node == true
		if on && strict.MatchString(path.Key()) || found && node == false || (!found || node == nil) && settable(p.Base.Values, path) {
			on = !on
			*to = append(*to, Override{Path: path, Switch: &on})
		}
	}
	for _, word := range dotted.FindAllString(message, -1) {
		keys := strings.Split(strings.TrimPrefix(strings.TrimPrefix(word, ".Values."), "Values."), ".")
		if p.Reads.Names[keys[len(keys)-1]] {
			add(&named, steps(keys))
		}
	}
	for _, keys := range p.Reads.Paths {
		if at := slices.Index(keys, "global"); at > 0 {
			keys = keys[at:]
		}
		if len(keys) == 0 {
			continue
		}
		last := keys[len(keys)-1]
		switch {
		case len(last) > 5 && strings.Contains(message, last):
			add(&named, steps(keys))
		case allows.MatchString(subject(keys)):
			add(&others, steps(keys))
		case strict.MatchString(subject(keys)):
			if node, _ := helmvalues.Get(p.Base.Values, steps(keys)); node == true {
				add(&others, steps(keys))
			}
		}
	}
	return append(named, others...)
}

// subject returns the key that says what a switch is for, which is the one before "enabled".
func subject(keys []string) string {
	last := keys[len(keys)-1]
	if len(keys) > 1 && strings.HasPrefix(last, "enable") {
		return keys[len(keys)-2]
	}
	return last
}

// maxRefusal is the number of characters of a chart's message that a reason repeats.
const maxRefusal = 300

// refusal returns the message with which a template refused values by the function fail; "" for other errors.
func refusal(err error) string {
	text := strings.TrimPrefix(err.Error(), rendering)
	if strings.HasPrefix(text, "template: ") {
		return ""
	}
	_, message, _ := strings.Cut(text, ": ")
	text = strings.Join(strings.Fields(clean(message)), " ")
	if runes := []rune(text); len(runes) > maxRefusal {
		return string(runes[:maxRefusal]) + "..."
	}
	return text
}

// lift repeats a failed observation with switches changed, until it succeeds; it returns the last error otherwise.
func (p *Prober) lift(variables []Variable, ids []int, failed error) (observation, error) {
	before := p.switches
	for range maxSwitches {
		progress := false
		for _, one := range p.switchesFor(failed.Error()) {
			if p.turned++; p.turned > maxTurned {
				break
			}
			kept := p.switches
			p.switches = append(slices.Clone(kept), one)
			seen, err := p.observe(variables, ids)
			if err == nil {
				return seen, nil
			}
			if err.Error() != failed.Error() && strings.Contains(failed.Error(), one.Path.Key()) {
				failed, progress = err, true // another guard
				break
			}
			p.switches = kept
		}
		if !progress {
			break
		}
	}
	p.switches = before
	return observation{}, failed
}
