//go:build race

package chartrender

// slowness is how much longer everything takes under the race detector.
const slowness = 15
