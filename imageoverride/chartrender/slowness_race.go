//go:build race

package chartrender

// slowness is the factor by which the race detector slows down everything.
const slowness = 15
