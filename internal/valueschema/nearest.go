package valueschema

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// nearest returns the key of a map that a name was probably meant to be, "" if none is similar. Keys without effect are no suggestions.
func nearest(name string, around *jsonschema.Schema) string {
	return Nearest(name, keysWithEffect(around))
}

// Nearest returns the one of the known keys that a name was probably meant to be, "" if none is similar.
func Nearest(name string, known []string) string {
	slices.Sort(known)
	best, bestDistance := "", 1+max(1, len(name)/3)
	for _, key := range known {
		if distance := distance(strings.ToLower(name), strings.ToLower(key)); distance < bestDistance {
			best, bestDistance = key, distance
		}
	}
	return best
}

// distance is the number of letters to insert, remove, replace or swap with their neighbor to turn one word into the other.
func distance(a, b string) int {
	before, last, current := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		current[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			current[j] = min(last[j]+1, current[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, last, current = last, current, before
	}
	return last[len(b)]
}
