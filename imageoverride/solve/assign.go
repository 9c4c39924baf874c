package solve

import "sort"

// held is what the constraints met so far ask of one variable.
type held struct {
	changed bool
	text    string          // the new text, when changed
	current map[string]bool // the texts to keep, when not
}

// assignment is what all variables are to be.
type assignment map[string]held

// undo takes back what one option added.
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

// add adds an option and returns how to take it back. It is false, and nothing
// is changed, when the option contradicts what is held.
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

// join adds what one option wants of a variable to what is held of it.
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

// assign chooses an option for every constraint so that all agree. Constraints
// that cannot be met together with the others are returned by their index.
func assign(choices [][]option) (assignment, []int) {
	total := assignment{}
	var unmet []int
	for _, group := range groups(choices) {
		order := append([]int{}, group...)
		sort.SliceStable(order, func(a, b int) bool { return len(choices[order[a]]) < len(choices[order[b]]) })
		for len(order) > 0 && len(choices[order[0]]) == 0 {
			unmet, order = append(unmet, order[0]), order[1:]
		}
		steps := 0
		found := assignment{}
		if !search(choices, order, found, &steps) {
			var dropped []int
			found, dropped = greedy(choices, order)
			unmet = append(unmet, dropped...)
		}
		for key, value := range found {
			total[key] = value
		}
	}
	sort.Ints(unmet)
	return total, unmet
}

// search meets the constraints in order, taking options back that lead nowhere.
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

// greedy meets as many constraints as it can, first come first served.
func greedy(choices [][]option, order []int) (assignment, []int) {
	so := assignment{}
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
	return so, dropped
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
