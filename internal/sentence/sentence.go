// Package sentence formats and parses the sentences with which a chart's schema rejects a value. JSON schemas have no custom messages, so a schema
// allows only the sentence at such a path, and Helm prints it with the path; validate-values parses it again.
package sentence

import "strings"

const (
	dropped  = "(left out) "
	nearMiss = "(unknown) Did you mean "
	mark     = "?"
)

// Dropped returns the sentence that explains why a value of another chart has no effect here, and what to do instead; both arguments have no full
// stop.
func Dropped(reason, instead string) string { return dropped + reason + ". " + instead + "." }

// DidYouMean returns the sentence that names the key that a misspelled one was probably meant to be.
func DidYouMean(key string) string { return nearMiss + key + mark }

// IsDropped returns the content of a sentence of Dropped, and whether it is one.
func IsDropped(text string) (string, bool) { return strings.CutPrefix(text, dropped) }

// IsDidYouMean returns the key that a sentence of DidYouMean names, and whether it is one.
func IsDidYouMean(text string) (string, bool) {
	key, ok := strings.CutPrefix(text, nearMiss)
	return strings.TrimSuffix(key, mark), ok
}
