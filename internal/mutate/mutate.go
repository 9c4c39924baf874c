// Package mutate makes broken texts out of good ones, the same ones on every
// run: a short run of a fuzz target within an ordinary test.
package mutate

import "math/rand/v2"

// letters are what mutations put in: whatever means something in YAML, JSON,
// HTTP headers or the --set flags.
const letters = "{}[]:,\"'\\&*!|>%@`#-?=. \n\t\r\x00\x7f\xff0179aeEnNtT<~/$()"

// Texts gives n mutations of some texts.
func Texts(texts []string, n int) []string {
	random := rand.New(rand.NewPCG(2, 3)) //nolint:gosec // the same ones on every run are wanted
	made := make([]string, 0, n)
	for i := range n {
		text := []byte(texts[i%len(texts)])
		for range 1 + random.IntN(6) {
			text = once(random, text, texts)
		}
		made = append(made, string(text))
	}
	return made
}

// once changes a text in one place.
func once(random *rand.Rand, text []byte, others []string) []byte {
	at := random.IntN(len(text) + 1)
	end := min(len(text), at+random.IntN(8))
	head, tail := text[:at:at], text[at:]
	switch random.IntN(5) {
	case 0: // put a letter in
		return append(append(head, letters[random.IntN(len(letters))]), tail...)
	case 1: // take some out
		return append(head, text[end:]...)
	case 2: // say some twice
		return append(append(head, text[at:end]...), tail...)
	case 3: // cut it off
		return head
	default: // put in the end of another
		other := others[random.IntN(len(others))]
		return append(append(head, other[random.IntN(len(other)+1):]...), tail...)
	}
}
