//go:build !race

package chartrender

const slowness = 1
