package schemacheck

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// read reads JSON as encoding/json does with UseNumber, in less time and half the
// memory, since equal texts are kept once. False means that the text is no JSON, or that it is
// better left to encoding/json.
func read(text []byte) (any, bool) {
	r := &reader{text: text, kept: map[string]any{}}
	value, ok := r.value(0)
	r.space()
	return value, ok && r.at == len(text)
}

// maxNesting bounds how deep a schema goes.
const maxNesting = 300

type reader struct {
	text []byte
	at   int
	// kept are the texts that were met before.
	kept map[string]any
}

func (r *reader) space() {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// next skips white space and takes a byte when it is the wanted one.
func (r *reader) next(wanted byte) bool {
	r.space()
	if r.at < len(r.text) && r.text[r.at] == wanted {
		r.at++
		return true
	}
	return false
}

func (r *reader) value(depth int) (any, bool) {
	r.space()
	if r.at >= len(r.text) || depth > maxNesting {
		return nil, false
	}
	switch r.text[r.at] {
	case '{':
		return r.object(depth)
	case '[':
		return r.array(depth)
	case '"':
		return r.string()
	case 't':
		return true, r.literal("true")
	case 'f':
		return false, r.literal("false")
	case 'n':
		return nil, r.literal("null")
	}
	return r.number()
}

func (r *reader) object(depth int) (any, bool) {
	r.at++
	object := map[string]any{}
	if r.next('}') {
		return object, true
	}
	for {
		r.space()
		name, ok := r.string()
		if !ok || !r.next(':') {
			return nil, false
		}
		key := name.(string)
		value, ok := r.value(depth + 1)
		if !ok {
			return nil, false
		}
		object[key] = value
		if r.next('}') {
			return object, true
		}
		if !r.next(',') {
			return nil, false
		}
	}
}

func (r *reader) array(depth int) (any, bool) {
	r.at++
	array := []any{}
	if r.next(']') {
		return array, true
	}
	for {
		value, ok := r.value(depth + 1)
		if !ok {
			return nil, false
		}
		array = append(array, value)
		if r.next(']') {
			return array, true
		}
		if !r.next(',') {
			return nil, false
		}
	}
}

func (r *reader) literal(word string) bool {
	ok := bytes.HasPrefix(r.text[r.at:], []byte(word))
	r.at += len(word)
	return ok
}

// string reads a text. One with escapes or odd letters is read by encoding/json.
func (r *reader) string() (any, bool) {
	if r.at >= len(r.text) || r.text[r.at] != '"' {
		return nil, false
	}
	start, simple := r.at, true
	for r.at++; r.at < len(r.text) && r.text[r.at] != '"'; r.at++ {
		switch letter := r.text[r.at]; {
		case letter == '\\':
			simple = false
			r.at++
		case letter < ' ':
			return nil, false
		case letter >= utf8.RuneSelf:
			simple = false
		}
	}
	if r.at >= len(r.text) {
		return nil, false
	}
	r.at++
	inner := r.text[start+1 : r.at-1]
	if known, met := r.kept[string(inner)]; met && simple {
		return known, true
	}
	if !simple {
		var text string
		err := json.Unmarshal(r.text[start:r.at], &text)
		return text, err == nil
	}
	var boxed any = string(inner)
	r.kept[boxed.(string)] = boxed
	return boxed, true
}

func (r *reader) number() (any, bool) {
	start := r.at
	for r.at < len(r.text) && bytes.IndexByte([]byte("+-.eE0123456789"), r.text[r.at]) >= 0 {
		r.at++
	}
	number := r.text[start:r.at]
	return json.Number(number), len(number) > 0 && json.Valid(number)
}
