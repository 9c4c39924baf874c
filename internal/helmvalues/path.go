package helmvalues

import (
	"strconv"
	"strings"
)

// Join adds a key to a path; dots inside the key are escaped with a backslash, as in the --set flag.
func Join(path, key string) string {
	key = strings.ReplaceAll(key, ".", `\.`)
	if path == "" {
		return key
	}
	return path + "." + key
}

// Index adds a list position, counted from 0, to a path.
func Index(path string, i int) string {
	return path + "[" + strconv.Itoa(i) + "]"
}

// ParsePath parses a path in the format of Join and Index.
func ParsePath(text string) Path {
	var path Path
	var part strings.Builder
	flush := func() {
		if part.Len() > 0 {
			path = append(path, parseStep(part.String()))
			part.Reset()
		}
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && text[i+1] == '.':
			part.WriteByte('.')
			i++
		case c == '.':
			flush()
		case c == '[':
			flush()
			part.WriteByte(c)
		default:
			part.WriteByte(c)
		}
	}
	flush()
	return path
}

// parseStep returns a list index if the part is a number in brackets, otherwise a key.
func parseStep(part string) Step {
	inner, opened := strings.CutPrefix(part, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	if index, err := strconv.ParseUint(inner, 10, 31); err == nil && opened && closed {
		return Step{Index: int(index)}
	}
	return Step{Key: part}
}

// parents returns the paths above a path, nearest first.
func parents(path string) []string {
	var above []string
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '[' || path[i] == '.' && path[i-1] != '\\' {
			above = append(above, path[:i])
		}
	}
	return above
}
