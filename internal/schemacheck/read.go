package schemacheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// read parses JSON and keeps numbers as they are written. It returns false if the text is not valid JSON.
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
