package solve

// Isolate returns as many of the items as stay good together, by bisection: a
// few bad ones among many are found in few tries. Earlier items win over
// later ones that contradict them.
func Isolate(good func([]int) bool, items []int) []int {
	return isolate(good, nil, items, false)
}

// isolate returns kept and as much of rest as stays good together.
func isolate(good func([]int) bool, kept, rest []int, knownBad bool) []int {
	if len(rest) == 0 {
		return kept
	}
	both := append(append([]int{}, kept...), rest...)
	if !knownBad && good(both) {
		return both
	}
	if len(rest) == 1 {
		return kept
	}
	middle := len(rest) / 2
	kept = isolate(good, kept, rest[:middle], false)
	return isolate(good, kept, rest[middle:], false)
}
