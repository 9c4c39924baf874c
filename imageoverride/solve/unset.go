package solve

import (
	"maps"
	"regexp"
	"slices"
	"sort"
	"strings"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/locate"
	"gitops-runtime/internal/helmvalues"
)

// Values that are null, empty or absent leave no mark. Those that templates name and that indicate images are tried: each is set to a text that marks
// enclose, and the template's output then shows the effect of a text there.

// Limits of the unset values that are tried, of the renders that find those with an effect, and of the renders for these.
const (
	maxUnset    = 60
	maxNarrowed = 48
	maxTrials   = 60
)

// variant is a reading of a stretch that is rendered with unset values set.
type variant struct {
	reading []atom
	// fresh are the keys of the unset values in the reading; all must be set.
	fresh []string
}

// complete reports whether an option sets all unset values of the variant.
func (v variant) complete(o option) bool {
	for _, key := range v.fresh {
		if o[key].keep {
			return false
		}
	}
	return true
}

// finish adds to an option that the other unset values stay unset.
func (v variant) finish(o option, unset []string) option {
	for _, key := range unset {
		if !slices.Contains(v.fresh, key) {
			o[key] = setting{keep: true}
		}
	}
	return o
}

// trialText is the text to which unset values are set; it is valid as a
// reference, a repository and a registry.
const trialText = "registry.example"

// tryUnset adds the effects of unset values to the constraints of all scenarios.
func (s Solver) tryUnset(work *problem, left []Unreached) {
	renders := 0
	tried := map[string]bool{}
	for index, scenario := range work.scenarios {
		// Images that are also left in an earlier scenario were tried there.
		var charts [][]string
		fields := map[string]bool{}
		for _, one := range left {
			if key := one.Location.Field.ID() + " " + one.Location.Text(); one.Scenario == scenario.Name && !tried[key] {
				tried[key], fields[one.Location.Field.ID()] = true, true
				charts = append(charts, chartrender.ChartKeys(one.Location.Field.Object.Template))
			}
		}
		if len(charts) == 0 {
			continue
		}
		paths := unsetPaths(scenario, s.Reads, work.strongMaps(index), charts)
		t := trial{solver: s, work: work, index: index, scenario: scenario, fields: fields}
		sets := trialSets(t.effective(byMap(paths)))
		t.renders = 0
		for _, set := range sets {
			if renders+t.renders >= maxTrials || t.enough() {
				break
			}
			t.try(set)
		}
		renders += t.renders
	}
}

// byMap groups paths by the map that they are in.
func byMap(paths []helmvalues.Path) [][]helmvalues.Path {
	groups := map[string][]helmvalues.Path{}
	var order []string
	for _, path := range paths {
		parent := path[:len(path)-1].String()
		if groups[parent] == nil {
			order = append(order, parent)
		}
		groups[parent] = append(groups[parent], path)
	}
	all := make([][]helmvalues.Path, len(order))
	for i, parent := range order {
		all[i] = groups[parent]
	}
	return all
}

// trialSets returns the sets of unset values to try together: each alone, and all of one map.
func trialSets(groups [][]helmvalues.Path) [][]helmvalues.Path {
	var sets [][]helmvalues.Path
	for _, group := range groups {
		for _, path := range group {
			sets = append(sets, []helmvalues.Path{path})
		}
	}
	for _, group := range groups {
		if len(group) > 1 && len(group) <= maxTogether {
			sets = append(sets, group)
		}
	}
	return sets
}

// trial tries unset values of one scenario.
type trial struct {
	solver   Solver
	work     *problem
	index    int
	scenario Scenario
	fields   map[string]bool // IDs of the fields that are left
	renders  int
}

// effective returns the groups of unset values that have an effect on the images that are left, or make the templates fail. Most have none, which one render
// with all of them shows.
func (t *trial) effective(groups [][]helmvalues.Path) [][]helmvalues.Path {
	if len(groups) == 0 || t.renders >= maxNarrowed || t.enough() {
		return groups
	}
	from := len(t.work.marked[t.index])
	variables := t.variables(slices.Concat(groups...))
	output, ok := t.render(variables, indexes(variables)[from:], from)
	switch {
	case ok && !t.affects(output), !ok && len(variables) == from+1:
		return nil
	case ok && len(groups) == 1 && len(groups[0]) <= maxTogether:
		return groups
	case len(groups) == 1: // they are too many to be tried together, or make the templates fail
		half := len(groups[0]) / 2
		groups = [][]helmvalues.Path{groups[0][:half], groups[0][half:]}
	}
	half := len(groups) / 2
	return slices.Concat(t.effective(groups[:half]), t.effective(groups[half:]))
}

// enough reports whether the time for trials is over.
func (t *trial) enough() bool {
	t.work.cut = t.work.cut || t.solver.Enough != nil && t.solver.Enough()
	return t.work.cut
}

// affects reports whether the field of an image that is left differs from that of the scenario, or shows an unset value.
func (t *trial) affects(output chartrender.Output) bool {
	before, from := map[string]string{}, len(t.work.marked[t.index])
	documents := map[string]bool{}
	for _, location := range t.scenario.Locations {
		if id := location.Field.ID(); t.fields[id] {
			before[id] = location.Field.Value
			documents[chartrender.Document{Template: location.Field.Object.Template, Index: location.Field.Object.Index}.Key()] = true
		}
	}
	for _, document := range output.Documents {
		if !documents[document.Key()] {
			continue
		}
		fields, err := locate.Fields(document, clean)
		if err != nil {
			return true
		}
		for _, field := range fields {
			plain, spans, ok := unmark(field.Value)
			if base, left := before[field.ID()]; left && ok && plain == base && !slices.ContainsFunc(spans, func(s span) bool { return s.variable >= from }) {
				delete(before, field.ID())
			}
		}
	}
	return len(before) > 0
}

func (t *trial) try(set []helmvalues.Path) {
	marked := t.work.marked[t.index]
	output, variables, ok := t.set(set)
	if !ok {
		return
	}
	wanted := map[string][]int{}
	for i, c := range t.work.constraints {
		if c.scenario == t.index {
			id := t.scenario.Locations[c.locations[0]].Field.ID()
			wanted[id] = append(wanted[id], i)
		}
	}
	for _, document := range output.Documents {
		if document.Definition() || !shows(document, len(marked), len(variables)) {
			continue
		}
		fields, err := locate.Fields(document, clean)
		if err != nil {
			continue
		}
		for _, field := range fields {
			for _, i := range wanted[field.ID()] {
				t.learn(&t.work.constraints[i], field.Value, variables, len(marked))
			}
		}
	}
}

// set renders with unset values set, and marks in others unless these make the templates fail. It returns the variables of both.
func (t *trial) set(paths []helmvalues.Path) (chartrender.Output, []Variable, bool) {
	variables, from := t.variables(paths), len(t.work.marked[t.index])
	output, ok := t.render(variables, indexes(variables), from)
	if !ok {
		output, ok = t.render(variables, indexes(variables)[from:], from)
	}
	return output, variables, ok
}

// variables returns the marked variables of the scenario, and one for each unset value.
func (t *trial) variables(unset []helmvalues.Path) []Variable {
	all := slices.Clone(t.work.marked[t.index])
	for _, path := range unset {
		all = append(all, Variable{Path: path, Whole: true, Text: trialText, End: len(trialText)})
	}
	return all
}

// shows reports whether a document may contain a variable from an index to another; Secrets contain base64.
func shows(document chartrender.Document, from, to int) bool {
	for id := from; id < to; id++ {
		if strings.Contains(document.Text, opening(id)) {
			return true
		}
	}
	return strings.Contains(document.Text, "Secret")
}

// render renders with the chosen variables marked and the unset values set, which are the variables from an index on.
func (t *trial) render(variables []Variable, chosen []int, from int) (chartrender.Output, bool) {
	t.renders++
	prober := Prober{User: t.scenario.User, Base: t.scenario.Base, switches: t.work.switches}
	var known []int
	for _, id := range chosen {
		if id < from {
			known = append(known, id)
		}
	}
	user, err := prober.marked(variables, known)
	if err != nil {
		return chartrender.Output{}, false
	}
	for id := from; id < len(variables); id++ {
		v := variables[id]
		if helmvalues.Set(user, t.scenario.Base.Values, v.Path, opening(id)+v.Text+closing(id)) != nil {
			return chartrender.Output{}, false
		}
	}
	output, err := t.solver.Render(user)
	return output, err == nil
}

// learn adds to a constraint which unset values affect it, and its readings with them.
func (t *trial) learn(c *placed, value string, variables []Variable, from int) {
	plain, spans, ok := unmark(value)
	if !ok {
		return
	}
	start, end, known := 0, len(plain), false
	if len(c.locations) == 1 {
		start, end, known = t.stretch(c.locations[0], plain)
	}
	var fresh []string
	for _, s := range spans {
		if s.variable >= from && (!known || s.start < end && start < s.end) {
			fresh = append(fresh, t.key(variables[s.variable]))
		}
	}
	sort.Strings(fresh)
	fresh = slices.Compact(fresh)
	if len(fresh) == 0 {
		return
	}
	for _, key := range fresh {
		if !slices.Contains(c.unset, key) {
			c.unset = append(c.unset, key)
		}
	}
	if c.private || !known {
		return
	}
	for _, innermost := range []bool{true, false} {
		reading := readAtoms(plain, start, end, pickSpans(spans, start, end, innermost), variables)
		inside := map[string]bool{}
		for i, a := range reading {
			if a.variable == "" {
				continue
			}
			inside[a.variable] = true
			if v := t.work.variables[a.variable]; v.unset {
				reading[i].text = trialText
			}
		}
		if !slices.ContainsFunc(fresh, func(key string) bool { return !inside[key] }) {
			c.variants = append(c.variants, variant{reading: reading, fresh: fresh})
		}
	}
}

// stretch returns where the text of a field with unset values set has the image at an index. What is between the images of the field is unchanged, so that
// it divides the text.
func (t *trial) stretch(index int, plain string) (start, end int, ok bool) {
	all, id := t.scenario.Locations, t.scenario.Locations[index].Field.ID()
	base, done, at := all[index].Field.Value, 0, 0 // up to done and at, base and plain are read
	for i, location := range all {
		if location.Field.ID() != id {
			continue
		}
		next := len(base)
		if i+1 < len(all) && all[i+1].Field.ID() == id {
			next = all[i+1].Start
		}
		before, after := base[done:location.Start], base[location.End:next]
		if done == 0 && !strings.HasPrefix(plain, before) {
			return 0, 0, false
		} else if done == 0 {
			at = len(before)
		}
		length := strings.Index(plain[at:], after)
		if next == len(base) && strings.HasSuffix(plain[at:], after) {
			length = len(plain) - at - len(after)
		}
		if length < 0 {
			return 0, 0, false
		}
		if i == index {
			return at, at + length, true
		}
		done, at = next, at+length+len(after)
	}
	return 0, 0, false
}

// key returns the key of an unset value, and adds it to the variables of the problem.
func (t *trial) key(v Variable) string {
	key := v.Key()
	if _, exists := t.work.variables[key]; !exists {
		t.work.variables[key] = known{Variable: v, unset: true}
	}
	return key
}

// Keys that indicate an image, that may contain a part of one, and that never contain one.
var (
	imageWord = regexp.MustCompile(`(?i)(image|registry|repository|repo|hub|mirror|prefix)`)
	imagePart = regexp.MustCompile(`(?i)^(.*image.*|.*registry.*|.*repository.*|repo|name|hub)$`)
	notImage  = regexp.MustCompile(`(?i)(policy|secret|credential|tag$|digest|version|sha|enabled|username|password|key$)`)
)

// unsetPaths returns the paths of values that are null, empty or absent and may be part of an image: those that templates name by their whole path,
// and those whose key templates name, in maps about images. Only values that templates of the charts see are among them.
func unsetPaths(scenario Scenario, reads chartrender.Reads, strong []helmvalues.Path, charts [][]string) []helmvalues.Path {
	tree := scenario.Base.Values
	u := unsets{tree: tree, charts: charts, seen: map[string]bool{}}
	// Values with a default in templates that is part of an image.
	for _, one := range reads.Defaults {
		if len(one.Text) > 2 && slices.ContainsFunc(scenario.Locations, func(l locate.Location) bool {
			return strings.Contains(l.Text(), one.Text) || strings.Contains(one.Text, l.Text())
		}) {
			u.add(steps(one.Path))
		}
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(reads.Names)) {
		if imagePart.MatchString(name) && !strings.Contains(name, ".") {
			names = append(names, name)
		}
	}
	// Keys that templates name, next to the values of an image.
	above := append(slices.Clone(strong), mapsOf(tree, nil)...)
	for _, at := range above {
		u.addBelow(at, names)
	}
	for _, keys := range reads.Paths {
		if slices.ContainsFunc(keys, imageWord.MatchString) {
			u.add(steps(keys))
		}
		if at := slices.Index(keys, "global"); at > 0 {
			u.add(steps(keys[at:]))
		}
	}
	for _, keys := range reads.Printed {
		u.add(steps(keys))
	}
	for _, leaf := range helmvalues.Leaves(tree) {
		_, isSwitch := leaf.Value.(bool)
		if leaf.Value == nil || leaf.Value == "" || isSwitch && strings.HasSuffix(strings.ToLower(leaf.Path.Key()), "image") {
			if slices.ContainsFunc(leaf.Path, func(s helmvalues.Step) bool { return imageWord.MatchString(s.Key) }) {
				u.add(leaf.Path)
			}
		}
	}
	// Maps of an image that are absent, elements of lists, and other maps that are absent.
	absent := reads.Paths
	if reads.Names["image"] {
		absent = append(slices.Clone(absent), []string{"image"})
	}
	for _, keys := range absent {
		if _, found := helmvalues.Get(tree, steps(keys)); !found && strings.HasSuffix(strings.ToLower(steps(keys).Key()), "image") {
			u.addBelow(steps(keys), names)
		}
	}
	above = elements(tree)
	for _, keys := range reads.Paths {
		if _, found := helmvalues.Get(tree, steps(keys)); !found && len(keys) < 4 {
			above = append(above, steps(keys))
		}
	}
	for _, at := range above {
		u.addBelow(at, slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !imageWord.MatchString(name) }))
	}
	return u.all
}

// unsets gathers paths.
type unsets struct {
	tree   map[string]any
	charts [][]string // keys of the values of charts, from the root
	seen   map[string]bool
	all    []helmvalues.Path
}

func (u *unsets) add(path helmvalues.Path) {
	key := path.String()
	if len(path) == 0 || u.seen[key] || notImage.MatchString(path.Key()) || !u.visible(path) || !settable(u.tree, path) || len(u.all) >= maxUnset {
		return
	}
	u.seen[key] = true
	u.all = append(u.all, path)
}

// visible reports whether the templates of one of the charts see a value: one of the chart, of its subcharts, or a global one.
func (u *unsets) visible(path helmvalues.Path) bool {
	return slices.ContainsFunc(u.charts, func(keys []string) bool {
		for i, key := range keys {
			if i == len(path) || path[i].Key != key {
				return i < len(path) && path[i].Key == "global"
			}
		}
		return true
	})
}

func (u *unsets) addBelow(at helmvalues.Path, names []string) {
	for _, name := range names {
		if at.Key() != name {
			u.add(append(slices.Clone(at), helmvalues.Step{Key: name}))
		}
	}
}

func steps(keys []string) helmvalues.Path {
	path := make(helmvalues.Path, len(keys))
	for i, key := range keys {
		path[i] = helmvalues.Step{Key: key}
	}
	return path
}

// settable reports whether a path is null, empty or absent, below maps; a switch named for an image is one, too.
func settable(tree map[string]any, path helmvalues.Path) bool {
	for i := 1; i < len(path); i++ {
		node, found := helmvalues.Get(tree, path[:i])
		if !found || node == nil || node == "" {
			return path[i-1].Key != ""
		}
		if _, isText := node.(string); isText {
			return false
		}
	}
	node, found := helmvalues.Get(tree, path)
	switch typed := node.(type) {
	case map[string]any:
		return len(typed) == 0
	case bool:
		return strings.HasSuffix(strings.ToLower(path.Key()), "image")
	}
	return !found || node == nil || node == ""
}

// mapsOf returns the paths of maps whose last key indicates an image.
func mapsOf(tree map[string]any, at helmvalues.Path) []helmvalues.Path {
	var all []helmvalues.Path
	for _, key := range slices.Sorted(maps.Keys(tree)) {
		child, ok := tree[key].(map[string]any)
		if !ok {
			continue
		}
		below := append(slices.Clone(at), helmvalues.Step{Key: key})
		if strings.Contains(strings.ToLower(key), "image") && !notImage.MatchString(key) {
			all = append(all, below)
		}
		all = append(all, mapsOf(child, below)...)
	}
	return all
}

// elements returns the paths of the elements of lists that are maps with a text.
func elements(tree map[string]any) []helmvalues.Path {
	var all []helmvalues.Path
	for _, leaf := range helmvalues.Leaves(tree) {
		if at := len(leaf.Path) - 2; at > 0 && leaf.Path[at].Key == "" && (len(all) == 0 || all[len(all)-1].String() != leaf.Path[:at+1].String()) {
			all = append(all, leaf.Path[:at+1])
		}
	}
	return all
}

// strongMaps returns the paths of maps that contain values of images that are not private.
func (p *problem) strongMaps(index int) []helmvalues.Path {
	seen := map[string]bool{}
	var all []helmvalues.Path
	for _, c := range p.constraints {
		if c.scenario != index || c.private {
			continue
		}
		for _, a := range c.readings[0] {
			if a.variable == "" {
				continue
			}
			path := p.variables[a.variable].Path
			if at := path[:len(path)-1]; len(at) > 0 && !seen[at.String()] {
				seen[at.String()] = true
				all = append(all, at)
			}
		}
	}
	return all
}
