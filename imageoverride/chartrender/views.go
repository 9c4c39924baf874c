package chartrender

import (
	"strings"
	"text/template"
)

// Templates pass maps to each other as JSON: one writes it, and the including template decodes it. In that case, writing a map is not a read of all
// of it: the copy is recorded as a view of the original values. This is valid only if the whole output of an execution is one value, and is used
// nowhere else; therefore printFunc marks where a template prints JSON, and viewFunc where the output of an include is decoded as JSON immediately.
const (
	printFunc = "imageOverridePrintJSON"
	viewFunc  = "imageOverrideViewJSON"
	// forwardFunc is include for a text that is printed unchanged.
	forwardFunc = "imageOverrideForward"
)

// enter and leave enclose one execution of a template by include.
func (in *inputs) enter(name string) {
	if in.reads == nil {
		return
	}
	in.uses[name] = true
	in.frames++
	in.frame = append(in.frame, in.frames)
}

func (in *inputs) leave() {
	if in.reads == nil {
		return
	}
	in.last = in.frame[len(in.frame)-1]
	in.frame = in.frame[:len(in.frame)-1]
}

// print is toJson for a text that is printed; it records the value of the text.
func (in *inputs) print(value any) (string, error) {
	text, err := toJSON(value)
	if err != nil || in.reads == nil {
		return text, err
	}
	frame := in.frame[len(in.frame)-1]
	if before := in.printed[frame]; before != nil || frame == 0 {
		in.everything(value, map[uintptr]bool{})
		return text, nil
	}
	in.printed[frame] = &printed{text, value, in.writings}
	return text, nil
}

// forward passes the value that an include printed to the template that prints its text again.
func (in *inputs) forward() {
	if in.reads == nil {
		return
	}
	frame := in.frame[len(in.frame)-1]
	one := in.printed[in.last]
	if one == nil || frame == 0 || in.printed[frame] != nil {
		return
	}
	delete(in.printed, in.last)
	in.printed[frame] = one
}

// view is fromJson of the text of the include that just ended.
func (in *inputs) view(text string) map[string]any {
	if in.reads == nil {
		return parseMap(text, jsonInto)
	}
	from := in.printed[in.last]
	if from == nil || from.text != strings.TrimSpace(text) {
		return parseMap(text, jsonInto)
	}
	delete(in.printed, in.last)
	read, ok := readBack(from.value, 0)
	parsed, isMap := read.(map[string]any)
	if !ok || !isMap || from.writings != in.writings {
		parsed = parseMap(text, jsonInto)
	}
	in.copied(parsed, from.value)
	return parsed
}

// copied records that a value is a copy of another.
func (in *inputs) copied(to, from any) {
	if at := identity(to); at != 0 {
		if origin, known := in.node(identity(from)); known {
			in.views[at] = origin
			in.alive = append(in.alive, to)
		}
	}
	if m, ok := mapOf(to); ok {
		original, _ := mapOf(from)
		for key, item := range m {
			in.copied(item, original[key])
		}
		return
	}
	list, _ := to.([]any)
	original, _ := from.([]any)
	for i, item := range list {
		if i < len(original) {
			in.copied(item, original[i])
		}
	}
}

// merged records what merging maps reads: if two have the same key, everything below it.
func (in *inputs) merged(maps []map[string]any) {
	if in.reads == nil {
		return
	}
	count := map[string]int{}
	for _, one := range maps {
		if _, known := in.node(identity(one)); known {
			in.everything(one, map[uintptr]bool{})
		}
		for key := range one {
			count[key]++
		}
	}
	for _, one := range maps {
		for key, item := range one {
			if count[key] > 1 {
				in.everything(item, map[uintptr]bool{})
			}
		}
	}
}

// writers returns the functions that modify or merge maps, which record this if the maps are values.
func writers(in *inputs) template.FuncMap {
	table := template.FuncMap{}
	original := funcs(&fixedFuncs{})
	for _, name := range []string{"set", "unset", "merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite"} {
		switch fn := original[name].(type) {
		case func(map[string]any, string, any) map[string]any:
			table[name] = func(target map[string]any, key string, value any) map[string]any {
				in.writes(target)
				return fn(target, key, value)
			}
		case func(map[string]any, string) map[string]any:
			table[name] = func(target map[string]any, key string) map[string]any {
				in.writes(target)
				return fn(target, key)
			}
		case func(map[string]any, ...map[string]any) any:
			table[name] = func(target map[string]any, sources ...map[string]any) any {
				in.writes(target)
				in.merged(append([]map[string]any{target}, sources...))
				return fn(target, sources...)
			}
		case func(map[string]any, ...map[string]any) (any, error):
			table[name] = func(target map[string]any, sources ...map[string]any) (any, error) {
				in.writes(target)
				in.merged(append([]map[string]any{target}, sources...))
				return fn(target, sources...)
			}
		}
	}
	return table
}
