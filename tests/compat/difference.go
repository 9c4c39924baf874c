package compat

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// difference is a field of a rendered object that values change, or a whole object that they add or remove.
type difference struct {
	object string
	path   string // path is empty for a whole object.
	what   string // what is the old and the new value of a field; + or - for a whole object.
}

// changedWord is the string that new values contain if their type allows it.
const changedWord = "changed"

// many is the number of objects with the same change above which a table counts the objects instead of naming them.
const many = 6

// differences returns the changes between two renders, in order. An added object is followed by its fields that contain changedWord.
// Checksum annotations are returned only if nothing else changed.
func differences(before, after objects) []difference {
	var all, checksums []difference
	for _, object := range slices.Sorted(maps.Keys(before)) {
		if after[object] == nil {
			all = append(all, difference{object: object, what: "-"})
		}
	}
	for _, object := range slices.Sorted(maps.Keys(after)) {
		if before[object] == nil {
			all = append(all, difference{object: object, what: "+"})
			all = append(all, holding(object, after[object])...)
			continue
		}
		for _, each := range changedFields(object, before[object], after[object]) {
			if strings.Contains(each.path, "annotations[checksum/") {
				checksums = append(checksums, each)
			} else {
				all = append(all, each)
			}
		}
	}
	if len(all) == 0 {
		return checksums
	}
	return all
}

func holding(object string, of fields) (all []difference) {
	for _, path := range slices.Sorted(maps.Keys(of)) {
		if strings.Contains(strings.Join(of[path], " "), changedWord) {
			all = append(all, difference{object: object, path: path, what: shown(nil) + " -> " + shown(of[path])})
		}
	}
	return all
}

func changedFields(object string, before, after fields) (all []difference) {
	paths := map[string]bool{}
	for path := range before {
		paths[path] = true
	}
	for path := range after {
		paths[path] = true
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if slices.Equal(before[path], after[path]) {
			continue
		}
		all = append(all, difference{object: object, path: path, what: shown(without(before[path], after[path])) + " -> " + shown(without(after[path], before[path]))})
	}
	return all
}

// without returns the values that others lacks; duplicates count.
func without(values, others []string) []string {
	left := slices.Clone(others)
	var kept []string
	for _, value := range values {
		if at := slices.Index(left, value); at >= 0 {
			left = slices.Delete(left, at, at+1)
		} else {
			kept = append(kept, value)
		}
	}
	return kept
}

// shown formats values for a table; long ones are shortened to their beginning and a checksum.
func shown(values []string) string {
	if len(values) == 0 {
		return "none"
	}
	text := strings.Join(values, ", ")
	if len(text) > 200 {
		sum := sha256.Sum256([]byte(text))
		return fmt.Sprintf("%s... (%x)", strings.ToValidUTF8(text[:160], ""), sum[:4])
	}
	return text
}

func (d difference) String() string {
	if d.path == "" {
		return d.what + " " + d.object
	}
	return fmt.Sprintf("%s %s: %s", d.object, d.path, d.what)
}

// lines returns the lines of a table for differences.
func lines(all []difference) []string {
	counts := map[string]int{}
	for _, each := range all {
		counts[each.of("objects")]++
	}
	var result []string
	for _, each := range all {
		line := each.String()
		if count := counts[each.of("objects")]; count > many {
			line = each.of(fmt.Sprintf("%d objects", count))
		}
		if !slices.Contains(result, line) {
			result = append(result, line)
		}
	}
	slices.Sort(result)
	return result
}

// of formats the difference with another object name.
func (d difference) of(objects string) string {
	d.object = objects
	return d.String()
}
