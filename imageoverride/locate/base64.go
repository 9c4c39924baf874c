package locate

import (
	"encoding/base64"
	"strings"
	"unicode"
	"unicode/utf8"
)

// encoded marks in a path that the following part is inside a base64 text.
const encoded = " > (base64)"

// Encoded reports whether a field is in the base64 text of a Secret.
func (f Field) Encoded() bool { return strings.Contains(f.Path, encoded) }

// Decode decodes base64 that contains text; it returns false for anything else, such as binary keys and archives.
func Decode(text string) (string, bool) {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(data) == 0 || !utf8.Valid(data) {
		return "", false
	}
	for _, r := range string(data) {
		if unicode.IsControl(r) && !unicode.IsSpace(r) {
			return "", false
		}
	}
	return string(data), true
}

// Encode returns the base64 encoding of a text.
func Encode(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
