package helmvalues

import (
	"strconv"
	"strings"
)

// Join adds a key to a path; dots inside the key are escaped with a backslash,
// as in the --set flag.
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

// split turns a path into its keys and list positions; a position is the
// string "[n]".
func split(path string) []string {
	var parts []string
	var part strings.Builder
	flush := func() {
		if part.Len() > 0 {
			parts = append(parts, part.String())
			part.Reset()
		}
	}
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '\\' && i+1 < len(path) && path[i+1] == '.':
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
	return parts
}

// parents lists the paths above a path, nearest first.
func parents(path string) []string {
	var above []string
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '[' || path[i] == '.' && path[i-1] != '\\' {
			above = append(above, path[:i])
		}
	}
	return above
}
