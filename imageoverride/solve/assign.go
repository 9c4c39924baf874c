package solve

import "sort"

// held is what the constraints so far require of one variable.
type held struct {
	changed bool
	text    string          // the new text, when changed
	current map[string]bool // otherwise, the texts to keep
}

// assignment is what all variables are to be.
type assignment map[string]held

// undo reverts what one option added.
type undo []struct {
	key   string
	have  held
	known bool
}

func (a assignment) revert(steps undo) {
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].known {
			a[steps[i].key] = steps[i].have
		} else {
			delete(a, steps[i].key)
		}
	}
}

// add adds an option and returns how to revert it. It is false, and changes nothing, if the option contradicts what is held.
func (a assignment) add(o option) (undo, bool) {
	var steps undo
	for key, wanted := range o {
		have, known := a[key]
		next, ok := join(have, known, wanted)
		if !ok {
			a.revert(steps)
			return nil, false
		}
		steps = append(steps, struct {
			key   string
			have  held
			known bool
		}{key, have, known})
		a[key] = next
	}
	return steps, true
}

// join adds the requirement of one option on a variable to what is held.
func join(have held, known bool, wanted setting) (held, bool) {
	switch {
	case !known && wanted.keep:
		return held{current: map[string]bool{wanted.text: true}}, true
	case !known:
		return held{changed: true, text: wanted.text}, true
	case have.changed:
		return have, have.text == wanted.text
	case wanted.keep && have.current[wanted.text]:
		return have, true
	case wanted.keep:
		current := map[string]bool{wanted.text: true}
		for text := range have.current {
			current[text] = true
		}
		return held{current: current}, true
	case len(have.current) == 1 && have.current[wanted.text]:
		return held{changed: true, text: wanted.text}, true
	default:
		return held{}, false
	}
}

// maxSteps bounds the search through the options of one group of constraints.
const maxSteps = 20000

// assign chooses an option for every constraint so that all are consistent. Constraints that cannot be met together with the others are returned by
// their index; they get the option under staying, which leaves them unchanged, so that nothing else that they produce changes.
func assign(choices [][]option, staying []option) (assignment, []int) {
	total := assignment{}
	var unmet []int
	all := make([][]option, len(choices))
	for i := range choices {
		all[i] = append(append([]option{}, choices[i]...), staying[i])
	}
	for _, group := range groups(all) {
		found, left := assignGroup(choices, staying, group)
		unmet = append(unmet, left...)
		for key, value := range found {
			total[key] = value
		}
	}
	sort.Ints(unmet)
	return total, unmet
}

func assignGroup(choices [][]option, staying []option, group []int) (assignment, []int) {
	stays := map[int]bool{}
	for _, i := range group {
		stays[i] = len(choices[i]) == 0
	}
	for {
		so := assignment{}
		var order, unmet []int
		for _, i := range group {
			if stays[i] {
				so.add(staying[i])
				unmet = append(unmet, i)
				continue
			}
			order = append(order, i)
		}
		sort.SliceStable(order, func(a, b int) bool { return len(choices[order[a]]) < len(choices[order[b]]) })
		steps := 0
		if search(choices, order, so, &steps) {
			return so, unmet
		}
		if i, ok := spare(choices, staying, order, unmet); ok {
			stays[i] = true
			continue
		}
		dropped := greedy(choices, order, so)
		if len(dropped) == 0 {
			return so, unmet
		}
		for _, i := range dropped {
			stays[i] = true
		}
	}
}

// maxSpares bounds how many constraints are tried to be left out.
const maxSpares = 40

// spare is a constraint without which all others can be met.
func spare(choices [][]option, staying []option, order, unmet []int) (int, bool) {
	for n, i := range order {
		if n == maxSpares {
			break
		}
		so := assignment{}
		for _, j := range append(append([]int{}, unmet...), i) {
			so.add(staying[j])
		}
		steps := maxSteps * 9 / 10
		rest := append(append([]int{}, order[:n]...), order[n+1:]...)
		if search(choices, rest, so, &steps) {
			return i, true
		}
	}
	return 0, false
}

// search meets the constraints in order, and backtracks.
func search(choices [][]option, order []int, so assignment, steps *int) bool {
	if len(order) == 0 {
		return true
	}
	for _, o := range choices[order[0]] {
		if *steps++; *steps > maxSteps {
			return false
		}
		added, ok := so.add(o)
		if !ok {
			continue
		}
		if search(choices, order[1:], so, steps) {
			return true
		}
		so.revert(added)
	}
	return false
}

// greedy meets as many constraints as possible, in order, and returns the others.
func greedy(choices [][]option, order []int, so assignment) []int {
	var dropped []int
next:
	for _, i := range order {
		for _, o := range choices[i] {
			if _, ok := so.add(o); ok {
				continue next
			}
		}
		dropped = append(dropped, i)
	}
	return dropped
}

// groups gathers constraints that share variables, directly or through others.
func groups(choices [][]option) [][]int {
	parent := make([]int, len(choices))
	for i := range parent {
		parent[i] = i
	}
	var root func(int) int
	root = func(i int) int {
		if parent[i] != i {
			parent[i] = root(parent[i])
		}
		return parent[i]
	}
	owner := map[string]int{}
	for i, all := range choices {
		for _, o := range all {
			for key := range o {
				if first, ok := owner[key]; ok {
					parent[root(i)] = root(first)
				} else {
					owner[key] = i
				}
			}
		}
	}
	byRoot := map[int][]int{}
	var order []int
	for i := range choices {
		r := root(i)
		if _, ok := byRoot[r]; !ok {
			order = append(order, r)
		}
		byRoot[r] = append(byRoot[r], i)
	}
	all := make([][]int, len(order))
	for i, r := range order {
		all[i] = byRoot[r]
	}
	return all
}
