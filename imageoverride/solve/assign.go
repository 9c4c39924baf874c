package solve

import "sort"

// held is the requirement of the constraints so far on one variable.
type held struct {
	changed bool
	text    string          // the new text, if changed
	current map[string]bool // otherwise, the texts to keep
}

// assignment contains the requirements on variables, by key.
type assignment map[string]held

// undo contains the earlier requirements on the variables of one option.
type undo []struct {
	key      string
	existing held
	known    bool
}

func (a assignment) revert(steps undo) {
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].known {
			a[steps[i].key] = steps[i].existing
		} else {
			delete(a, steps[i].key)
		}
	}
}

// add adds an option and returns how to revert it. It returns false, and changes nothing, if the option contradicts the assignment.
func (a assignment) add(o option) (undo, bool) {
	var steps undo
	for key, wanted := range o {
		existing, known := a[key]
		next, ok := join(existing, known, wanted)
		if !ok {
			a.revert(steps)
			return nil, false
		}
		steps = append(steps, struct {
			key      string
			existing held
			known    bool
		}{key, existing, known})
		a[key] = next
	}
	return steps, true
}

// join combines the existing requirement on a variable with that of an option; it returns false if they contradict each other.
func join(existing held, known bool, wanted setting) (held, bool) {
	switch {
	case !known && wanted.keep:
		return held{current: map[string]bool{wanted.text: true}}, true
	case !known:
		return held{changed: true, text: wanted.text}, true
	case existing.changed:
		return existing, existing.text == wanted.text
	case wanted.keep && existing.current[wanted.text]:
		return existing, true
	case wanted.keep:
		current := map[string]bool{wanted.text: true}
		for text := range existing.current {
			current[text] = true
		}
		return held{current: current}, true
	case len(existing.current) == 1 && existing.current[wanted.text]:
		return held{changed: true, text: wanted.text}, true
	default:
		return held{}, false
	}
}

// maxSteps limits the search through the options of one group of constraints.
const maxSteps = 20000

// assign chooses an option for every constraint so that all are consistent. It returns the indexes of constraints that cannot be met together with
// the others; they get their option in staying, which leaves their variables and thus everything else that these produce unchanged.
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
		assigned := assignment{}
		var order, unmet []int
		for _, i := range group {
			if stays[i] {
				assigned.add(staying[i])
				unmet = append(unmet, i)
				continue
			}
			order = append(order, i)
		}
		sort.SliceStable(order, func(a, b int) bool { return len(choices[order[a]]) < len(choices[order[b]]) })
		steps := 0
		if search(choices, order, assigned, &steps) {
			return assigned, unmet
		}
		if i, ok := spare(choices, staying, order, unmet); ok {
			stays[i] = true
			continue
		}
		dropped := greedy(choices, order, assigned)
		if len(dropped) == 0 {
			return assigned, unmet
		}
		for _, i := range dropped {
			stays[i] = true
		}
	}
}

// maxSpares limits how many constraints spare tries to omit.
const maxSpares = 40

// spare returns a constraint without which all others can be met; false if it finds none.
func spare(choices [][]option, staying []option, order, unmet []int) (int, bool) {
	for n, i := range order {
		if n == maxSpares {
			break
		}
		assigned := assignment{}
		for _, j := range append(append([]int{}, unmet...), i) {
			assigned.add(staying[j])
		}
		steps := maxSteps * 9 / 10
		rest := append(append([]int{}, order[:n]...), order[n+1:]...)
		if search(choices, rest, assigned, &steps) {
			return i, true
		}
	}
	return 0, false
}

// search meets all constraints in order, with backtracking; it returns false if it cannot, or needs more than maxSteps.
func search(choices [][]option, order []int, assigned assignment, steps *int) bool {
	if len(order) == 0 {
		return true
	}
	for _, o := range choices[order[0]] {
		if *steps++; *steps > maxSteps {
			return false
		}
		added, ok := assigned.add(o)
		if !ok {
			continue
		}
		if search(choices, order[1:], assigned, steps) {
			return true
		}
		assigned.revert(added)
	}
	return false
}

// greedy meets as many constraints as possible, in order, and returns the others.
func greedy(choices [][]option, order []int, assigned assignment) []int {
	var dropped []int
next:
	for _, i := range order {
		for _, o := range choices[i] {
			if _, ok := assigned.add(o); ok {
				continue next
			}
		}
		dropped = append(dropped, i)
	}
	return dropped
}

// groups returns groups of constraints that share variables, directly or through others.
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
