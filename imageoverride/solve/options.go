package solve

import "strings"

// setting is what an option requires of one variable.
type setting struct {
	keep bool   // leave the variable as it is
	text string // the current text, or the new one
}

// option is one way to meet a constraint.
type option map[string]setting

// options returns the ways to change a stretch to its target, best first: one
// changed variable before several, inner readings before outer ones. The
// registry determines where texts are divided first.
func options(c placed, registry string) []option {
	if c.private {
		return []option{keepAll(c.readings[0])}
	}
	var all []option
	for count := 1; count <= maxTogether; count++ {
		for _, reading := range c.readings {
			all = append(all, changeSeveral(reading, c.target, registry, count)...)
		}
	}
	for _, o := range all {
		for _, key := range c.unset {
			o[key] = setting{keep: true}
		}
	}
	for count := 1; count <= maxTogether; count++ {
		for _, v := range c.variants {
			for _, o := range changeSeveral(v.reading, c.target, registry, count) {
				if v.complete(o) {
					all = append(all, v.finish(o, c.unset))
				}
			}
		}
	}
	return all
}

func keepAll(reading []atom) option {
	o := option{}
	for _, a := range reading {
		if a.variable != "" {
			o[a.variable] = setting{keep: true, text: a.text}
		}
	}
	return o
}

// maxTogether is the maximum number of variables of one image that change together.
const maxTogether = 3

// changeSeveral returns the options that change count variables and keep the text between them.
func changeSeveral(reading []atom, target, registry string, count int) []option {
	var all []option
	for _, chosen := range chooseVariables(reading, count) {
		first, last := chosen[0], chosen[count-1]
		before, after := text(reading[:first]), text(reading[last+1:])
		if len(before)+len(after) >= len(target) || !strings.HasPrefix(target, before) || !strings.HasSuffix(target, after) {
			continue
		}
		var between []string
		for i := 1; i < count; i++ {
			between = append(between, text(reading[chosen[i-1]+1:chosen[i]]))
		}
		for _, parts := range divideText(target[len(before):len(target)-len(after)], between, registry) {
			changes := map[int]string{}
			for i, at := range chosen {
				changes[at] = parts[i]
			}
			all = add(all, reading, target, changes)
		}
	}
	return all
}

// chooseVariables returns the ways to choose count different variables, as indexes in order.
func chooseVariables(reading []atom, count int) [][]int {
	if count == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, fewer := range chooseVariables(reading, count-1) {
		from := 0
		if len(fewer) > 0 {
			from = fewer[len(fewer)-1] + 1
		}
	next:
		for i := from; i < len(reading); i++ {
			if reading[i].variable == "" {
				continue
			}
			for _, taken := range fewer {
				if reading[taken].variable == reading[i].variable {
					continue next
				}
			}
			all = append(all, append(append([]int{}, fewer...), i))
		}
	}
	return all
}

// divideText returns the ways to split a text at the separators, in order.
func divideText(text string, between []string, registry string) [][]string {
	if len(between) == 0 {
		return [][]string{{text}}
	}
	var all [][]string
	for _, cut := range findCuts(text, between[0], registry) {
		for _, rest := range divideText(text[cut+len(between[0]):], between[1:], registry) {
			all = append(all, append([]string{text[:cut]}, rest...))
		}
	}
	return all
}

// findCuts returns the offsets at which a text can be split at a separator, the end of the registry first. Without a separator it is split after slashes.
func findCuts(text, between, registry string) []int {
	var all []int
	consider := func(at int) {
		if at <= 0 || at+len(between) >= len(text) {
			return
		}
		for _, known := range all {
			if known == at {
				return
			}
		}
		all = append(all, at)
	}
	if between != "" {
		if strings.HasPrefix(text, registry+between) {
			consider(len(registry))
		}
		for at := 0; at < len(text); at++ {
			if strings.HasPrefix(text[at:], between) {
				consider(at)
			}
		}
		return all
	}
	if strings.HasPrefix(text, registry+"/") {
		consider(len(registry) + 1)
	}
	for at := range text {
		if text[at] == '/' {
			consider(at + 1)
		}
	}
	return all
}

// add appends the option with the given changes if it produces the target: it may not, since a variable may occur twice.
func add(all []option, reading []atom, target string, changes map[int]string) []option {
	o := keepAll(reading)
	for i, changed := range changes {
		o[reading[i].variable] = setting{text: changed}
	}
	var result strings.Builder
	for _, a := range reading {
		if a.variable == "" {
			result.WriteString(a.text)
		} else {
			result.WriteString(o[a.variable].text)
		}
	}
	if result.String() != target {
		return all
	}
	return append(all, o)
}

func text(atoms []atom) string {
	var all strings.Builder
	for _, a := range atoms {
		all.WriteString(a.text)
	}
	return all.String()
}
