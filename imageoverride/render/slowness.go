//go:build !race

package render

const slowness = 1
