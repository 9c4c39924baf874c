package valueschema

import "strings"

// The sentences with which a chart's schema rejects a value. JSON schemas have no custom messages, so a schema allows only the sentence at such a path, and
// Helm prints it with the path; validate-values parses it again.
const (
	droppedMark = "(left out) "
	nearMiss    = "(unknown) Did you mean "
	mark        = "?"
)

// DroppedSentence returns the sentence that explains why a value of another chart has no effect here, and what to do instead; both arguments have no full
// stop.
func DroppedSentence(reason, instead string) string {
	return droppedMark + reason + ". " + instead + "."
}

// TypoSentence returns the sentence that names the key that a misspelled one was probably meant to be.
func TypoSentence(key string) string { return nearMiss + key + mark }

// ReadDropped returns the content of a sentence of DroppedSentence, and whether it is one.
func ReadDropped(text string) (string, bool) { return strings.CutPrefix(text, droppedMark) }

// ReadTypo returns the key that a sentence of TypoSentence names, and whether it is one.
func ReadTypo(text string) (string, bool) {
	key, ok := strings.CutPrefix(text, nearMiss)
	return strings.TrimSuffix(key, mark), ok
}
