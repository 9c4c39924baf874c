// Package sentence writes and reads the sentences that a chart's schema refuses a value with. JSON schemas have no messages of their own, so
// a schema allows nothing but the sentence at such a place, and Helm prints it with the path; validate-values reads it back.
package sentence

import "strings"

const (
	dropped   = "(left out) "
	nearMiss  = "(unknown) Did you mean "
	questions = "?"
)

// Dropped says why a value of another chart has no effect here, and what to do instead; both are without a full stop.
func Dropped(reason, instead string) string { return dropped + reason + ". " + instead + "." }

// DidYouMean names the key that a typo stands for.
func DidYouMean(key string) string { return nearMiss + key + questions }

// IsDropped returns what a sentence of Dropped says, and whether it is one.
func IsDropped(text string) (string, bool) { return strings.CutPrefix(text, dropped) }

// IsDidYouMean returns the key that a sentence of DidYouMean names, and whether it is one.
func IsDidYouMean(text string) (string, bool) {
	key, ok := strings.CutPrefix(text, nearMiss)
	return strings.TrimSuffix(key, questions), ok
}
