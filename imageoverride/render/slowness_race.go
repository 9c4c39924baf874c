//go:build race

package render

// slowness is how much longer everything takes under the race detector.
const slowness = 15
