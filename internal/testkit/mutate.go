package testkit

import "math/rand/v2"

// letters are what mutations insert: characters with a meaning in YAML, JSON, HTTP headers or the --set flags.
const letters = "{}[]:,\"'\\&*!|>%@`#-?=. \n\t\r\x00\x7f\xff0179aeEnNtT<~/$()"

// Mutate returns n malformed texts made from valid ones, the same on every run: a short fuzz run within an ordinary test.
func Mutate(texts []string, n int) []string {
	random := rand.New(rand.NewPCG(2, 3)) //nolint:gosec // every run needs the same mutations
	mutated := make([]string, 0, n)
	for i := range n {
		text := []byte(texts[i%len(texts)])
		for range 1 + random.IntN(6) {
			text = once(random, text, texts)
		}
		mutated = append(mutated, string(text))
	}
	return mutated
}

// once changes a text in one place.
func once(random *rand.Rand, text []byte, others []string) []byte {
	at := random.IntN(len(text) + 1)
	end := min(len(text), at+random.IntN(8))
	head, tail := text[:at:at], text[at:]
	switch random.IntN(5) {
	case 0: // insert a character
		return append(append(head, letters[random.IntN(len(letters))]), tail...)
	case 1: // remove some
		return append(head, text[end:]...)
	case 2: // repeat some
		return append(append(head, text[at:end]...), tail...)
	case 3: // cut it off
		return head
	default: // append the end of another text
		other := others[random.IntN(len(others))]
		return append(append(head, other[random.IntN(len(other)+1):]...), tail...)
	}
}
