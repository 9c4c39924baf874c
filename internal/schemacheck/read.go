package schemacheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// read reads JSON with its numbers as they are written. False means that the
// text is not JSON.
func read(text []byte) (any, bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil, false
	}
	_, err := decoder.Token()
	return value, errors.Is(err, io.EOF)
}
