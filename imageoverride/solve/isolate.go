package solve

// Isolate returns as many of the items as possible that are good together, by
// bisection: few bad ones among many take few calls of good. Earlier items take
// precedence over later ones that contradict them.
func Isolate(good func([]int) bool, items []int) []int {
	return isolate(good, nil, items, false)
}

// isolate returns kept and as much of rest as is good together with it.
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
