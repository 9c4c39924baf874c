package chartrender

import (
	"hash/maphash"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"text/template/parse"

	"helm.sh/helm/v3/pkg/chartutil"
)

// inputs records which values each template file reads while it is executed. A file whose inputs have not changed renders to the same text as before.
// Templates are instrumented to record what they read (instrument.go); a map is identified by its address, regardless of how a template obtained it.
type inputs struct {
	tree   map[string]any
	charts uint64 // identifies the enabled charts
	nodes  map[uintptr]node
	scopes map[uintptr]bool
	// changed reports whether a template modifies values or its scope, so that one file may depend on the execution of another.
	changed bool
	before  uint64 // the hash of the tree at the beginning

	ids  map[string]int
	all  []input
	sums map[int]uint64

	sites []site
	reads map[int]bool    // of the file that is executed; nil if there is none
	uses  map[string]bool // templates that it includes
	seen  map[visit]bool

	// views contains the nodes of copies of maps of the tree; alive keeps the
	// copies, so that their addresses are not reused while the file is executed.
	views map[uintptr]node
	alive []any
	// printed contains the values that executions of templates wrote as JSON, by frame.
	frames  int
	frame   []int
	last    int
	printed map[int]*printed
	// writings counts the changes by templates: the text of a printed value is valid until the next one.
	writings int
}

// printed is a value that one execution of a template wrote as JSON.
type printed struct {
	text     string
	value    any
	writings int
}

// node is a map or a list of the tree of values. The path of what is in a list
// is that of the list.
type node struct {
	path   []string
	inList bool
}

// input is a value at a path: all of it, or only a scalar, or whether a map or a list is empty.
type input struct {
	path  []string
	whole bool
}

// read is an input with the value that was read.
type read struct {
	id  int
	sum uint64
}

// site is what one node of a template reads from one map.
type site struct {
	chains []chain
	name   string   // of the template that the node executes, if any
	more   []string // further maps that contain keys
}

type chain struct {
	keys []key
	how  extent
}

// extent determines how much of a map or a list is read.
type extent int

const (
	existence extent = iota // whether a value exists
	items                   // its content, without the content of maps in a map
	whole
)

// key is a key of a map: a text, or the value at a path below another map.
type key struct {
	text string
	from parse.Node
	path []string
}

type visit struct {
	site int
	at   uintptr
}

func newInputs() *inputs { return &inputs{ids: map[string]int{}} }

// begin registers the tree of one render. The tree must not share maps.
func (in *inputs) begin(tree map[string]any, scopes []scope, charts uint64) {
	in.tree, in.charts, in.changed = tree, charts, false
	in.nodes, in.scopes, in.sums = map[uintptr]node{}, map[uintptr]bool{}, map[int]uint64{}
	in.register(tree, nil, false)
	in.before = content(tree)
	for _, one := range scopes {
		for _, shared := range []any{one.data, one.data["Release"], one.data["Subcharts"]} {
			in.scopes[identity(shared)] = true
		}
		if values, ok := mapOf(one.data["Values"]); ok {
			if _, known := in.nodes[identity(values)]; !known {
				in.nodes[identity(values)] = node{path: one.keys}
			}
		}
	}
}

func (in *inputs) register(value any, path []string, inList bool) {
	switch typed := value.(type) {
	case map[string]any:
		in.nodes[identity(typed)] = node{path, inList}
		for key, item := range typed {
			switch item.(type) {
			case map[string]any, chartutil.Values, []any:
				below := path
				if !inList {
					below = append(path[:len(path):len(path)], key)
				}
				in.register(item, below, inList)
			}
		}
	case chartutil.Values:
		in.register(map[string]any(typed), path, inList)
	case []any:
		if len(typed) == 0 {
			return
		}
		in.nodes[identity(typed)] = node{path, inList}
		for _, item := range typed {
			in.register(item, path, true)
		}
	}
}

// written reports whether the templates of a render wrote to values or scopes.
func (in *inputs) written() bool { return in.changed || content(in.tree) != in.before }

// open starts recording the inputs of a file; close returns them, and the hashes of the templates that the file executed.
func (in *inputs) open() {
	in.reads, in.uses, in.seen = map[int]bool{}, map[string]bool{}, map[visit]bool{}
	in.views, in.alive, in.printed = map[uintptr]node{}, nil, map[int]*printed{}
	in.frames, in.frame, in.last = 0, []int{0}, 0
}

func (in *inputs) close(set *parsedSet, name string) ([]read, map[string]uint64) {
	for _, one := range in.printed {
		in.everything(one.value, map[uintptr]bool{})
	}
	all := make([]read, 0, len(in.reads))
	for id := range in.reads {
		all = append(all, read{id, in.sum(id)})
	}
	bodies := map[string]uint64{name: set.bodies[name]}
	for used := range in.uses {
		bodies[used] = set.bodies[used]
	}
	in.reads, in.uses, in.seen, in.views, in.alive, in.printed = nil, nil, nil, nil, nil, nil
	return all, bodies
}

// same reports whether inputs still have the values that were read.
func (in *inputs) same(reads []read) bool {
	for _, one := range reads {
		if in.sum(one.id) != one.sum {
			return false
		}
	}
	return true
}

// note is the function that instrumented templates call; it prints nothing.
func (in *inputs) note(number int, base any, more ...any) string {
	if in.reads == nil {
		return ""
	}
	at := identity(base)
	if in.stable(at) && len(more) == 0 {
		key := visit{number, at}
		if in.seen[key] {
			return ""
		}
		in.seen[key] = true
	}
	one := in.sites[number]
	if one.name != "" {
		in.uses[one.name] = true
	}
	for _, chain := range one.chains {
		in.follow(base, one.keys(chain, more), chain.how)
	}
	return ""
}

// stable reports whether the keys of a map cannot change: a map of values or scopes, unlike one that a template created.
func (in *inputs) stable(at uintptr) bool {
	_, known := in.nodes[at]
	return known || in.scopes[at]
}

// node returns the node of a map or a list of the tree, or of a copy of one.
func (in *inputs) node(at uintptr) (node, bool) {
	known, ok := in.nodes[at]
	if !ok && at != 0 {
		known, ok = in.views[at]
	}
	return known, ok
}

// methods contains the methods of chartutil.Values; a key with such a name calls the method.
var methods = map[string]bool{"AsMap": true, "Table": true, "PathValue": true, "Encode": true, "YAML": true}

// keys returns the keys of a chain as texts, up to the first that is not a string, which is unknownKey.
func (s site) keys(c chain, more []any) []string {
	texts := make([]string, 0, len(c.keys))
	for _, key := range c.keys {
		text := key.text
		if key.from != nil {
			found := more[slices.Index(s.more, key.from.String())]
			for _, step := range key.path {
				below, _ := mapOf(found)
				found = below[step]
			}
			var isText bool
			if text, isText = found.(string); !isText {
				return append(texts, unknownKey)
			}
		}
		texts = append(texts, text)
	}
	return texts
}

// enabledKeys is the input that identifies the enabled charts.
var enabledKeys = []string{"\x00charts"}

// unknownKey represents a key that cannot be determined.
const unknownKey = "\x00unknown"

// follow records what a chain of keys reads.
func (in *inputs) follow(base any, keys []string, how extent) {
	current := base
	for i, key := range keys {
		if key == unknownKey {
			in.everything(current, map[uintptr]bool{})
			return
		}
		if key == "Dependencies" || key == "Subcharts" {
			in.add(enabledKeys, true)
		}
		m, ok := mapOf(current)
		if !ok {
			return
		}
		if at, known := in.node(identity(m)); known {
			if at.inList || methods[key] {
				in.add(at.path, true)
				return
			}
			next, isMap := mapOf(m[key])
			if i == len(keys)-1 || !isMap {
				rest := append(at.path[:len(at.path):len(at.path)], keys[i:]...)
				in.add(rest, how > existence)
				return
			}
			if _, known := in.node(identity(next)); !known {
				in.add(append(at.path[:len(at.path):len(at.path)], key), true)
			}
		}
		current = m[key]
	}
	if at, known := in.node(identity(current)); known && how > existence {
		in.add(at.path, true)
	} else if how == whole {
		in.everything(current, map[uintptr]bool{})
	}
}

// everything records all values within a value.
func (in *inputs) everything(value any, seen map[uintptr]bool) {
	at := identity(value)
	if at == 0 {
		if value != nil && reflect.TypeOf(value).Kind() == reflect.Struct {
			in.add(enabledKeys, true) // .Chart
		}
		return
	}
	if seen[at] {
		return
	}
	seen[at] = true
	if known, ok := in.node(at); ok {
		in.add(known.path, true)
		return
	}
	if m, ok := mapOf(value); ok {
		if _, isScope := m["Subcharts"]; isScope {
			in.add(enabledKeys, true)
		}
		for _, item := range m {
			in.everything(item, seen)
		}
		return
	}
	if list, ok := value.([]any); ok {
		for _, item := range list {
			in.everything(item, seen)
		}
	}
}

func (in *inputs) add(path []string, whole bool) {
	key := strings.Join(path, "\x00")
	if whole {
		key += "\x01"
	}
	id, known := in.ids[key]
	if !known {
		id = len(in.all)
		in.ids[key] = id
		in.all = append(in.all, input{path, whole})
	}
	in.reads[id] = true
}

// writes records that a template modifies a map.
func (in *inputs) writes(target any) {
	in.writings++
	if at := identity(target); at != 0 && in.stable(at) {
		in.changed = true
	}
}

// sum returns a hash of the current value of an input.
func (in *inputs) sum(id int) uint64 {
	if known, ok := in.sums[id]; ok {
		return known
	}
	one := in.all[id]
	if one.whole && len(one.path) == 1 && one.path[0] == enabledKeys[0] {
		return in.charts
	}
	var current any = in.tree
	depth := uint64(2)
	for _, key := range one.path {
		m, ok := mapOf(current)
		if !ok {
			in.sums[id] = mix(shallow(current), depth)
			return in.sums[id]
		}
		next, found := m[key]
		if !found {
			in.sums[id] = mix(3, depth)
			return in.sums[id]
		}
		current = next
		depth++
	}
	in.sums[id] = shallow(current)
	if one.whole {
		in.sums[id] = content(current)
	}
	return in.sums[id]
}

// identity returns the address of a map or a list, 0 for anything else.
func identity(value any) uintptr {
	switch typed := value.(type) {
	case map[string]any:
		return reflect.ValueOf(typed).Pointer()
	case chartutil.Values:
		return reflect.ValueOf(typed).Pointer()
	case []any:
		if len(typed) > 0 {
			return reflect.ValueOf(typed).Pointer()
		}
	}
	return 0
}

func mapOf(value any) (map[string]any, bool) {
	switch typed := value.(type) {
	case map[string]any:
		return typed, true
	case chartutil.Values:
		return typed, true
	}
	return nil, false
}

// shallow returns a hash of a scalar, or of whether a map or a list is empty.
func shallow(value any) uint64 {
	if m, ok := mapOf(value); ok {
		return mix(5, empty(len(m)))
	}
	if list, ok := value.([]any); ok {
		return mix(7, empty(len(list)))
	}
	return content(value)
}

func empty(length int) uint64 {
	if length == 0 {
		return 1
	}
	return 0
}

var seed = maphash.MakeSeed()

// content returns a hash of the whole content of a value.
func content(value any) uint64 {
	switch typed := value.(type) {
	case nil:
		return 11
	case string:
		return mix(13, maphash.String(seed, typed))
	case map[string]any:
		total := uint64(17)
		for key, item := range typed {
			total += keyed(key, content(item))
		}
		return mix(total, uint64(len(typed)))
	case chartutil.Values:
		return content(map[string]any(typed))
	case []any:
		total := uint64(19)
		for _, item := range typed {
			total = mix(total, content(item))
		}
		return mix(total, uint64(len(typed)))
	}
	kind := reflect.TypeOf(value)
	if kind.Comparable() {
		return mix(maphash.String(seed, kind.String()), maphash.Comparable(seed, value))
	}
	return mix(23, uint64(identity(value)))
}

func keyed(key string, item uint64) uint64 { return mix(maphash.String(seed, key), item) }

func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xd6e8feb86659fd93)
	return bits.RotateLeft64(high, 32) ^ low ^ a*0xff51afd7ed558ccd
}
