package chartrender

import (
	"slices"
	"strings"
)

// file is the result of rendering one template file.
type file struct {
	name      string
	documents []Document
	// reads are the values that it depends on, bodies the templates it executed.
	reads  []read
	bodies map[string]uint64
	// witnessed reports whether Helm's engine rendered it with the same inputs.
	witnessed bool
}

// maxKept limits the number of cached results of one file.
const maxKept = 16

// known returns the cached result of a file for the current inputs and templates, nil if there is none.
func (e *Engine) known(set *parsedSet, name string) *file {
	kept := e.kept[name]
next:
	for i := len(kept) - 1; i >= 0; i-- {
		if !e.inputs.same(kept[i].reads) {
			continue
		}
		for used, body := range kept[i].bodies {
			if set.bodies[used] != body {
				continue next
			}
		}
		return kept[i]
	}
	return nil
}

// keep caches the results of files, the most recently used last.
func (e *Engine) keep(files []*file) {
	for _, one := range files {
		kept := e.kept[one.name]
		if at := slices.Index(kept, one); at >= 0 {
			kept = slices.Delete(kept, at, at+1)
		} else if len(kept) == maxKept {
			kept = slices.Delete(kept, 0, 1)
		}
		e.kept[one.name] = append(kept, one)
	}
}

// cut splits a rendered text into documents, without empty ones.
func (f *file) cut(text string) {
	if !isManifest(f.name) {
		return
	}
	for _, part := range cut(text) {
		if !blank(part) {
			f.documents = append(f.documents, Document{Template: f.name, Index: len(f.documents), Text: part})
		}
	}
}

// documentsOf returns the documents of files in the order of file names.
func documentsOf(files []*file) []Document {
	sorted := slices.SortedFunc(slices.Values(files), func(a, b *file) int { return strings.Compare(a.name, b.name) })
	var all []Document
	for _, one := range sorted {
		all = append(all, one.documents...)
	}
	return all
}
