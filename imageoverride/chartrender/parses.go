package chartrender

import (
	"regexp"

	"helm.sh/helm/v3/pkg/chartutil"
)

// parses caches what fromYaml read, toYaml wrote and regexMatch compiled: most of it is the same from template to template and from render to render.
type parses struct {
	maps     map[string]map[string]any
	texts    map[uint64]string
	compiled map[string]*regexp.Regexp
	size     int
}

// maxParses bounds the texts that are kept, in bytes, and maxCompiled the
// expressions; then it begins again.
const (
	maxParses   = 384 << 10
	maxCompiled = 256
)

func newParses() *parses {
	p := &parses{}
	p.clear()
	return p
}

func (p *parses) clear() {
	p.maps, p.texts, p.compiled, p.size = map[string]map[string]any{}, map[uint64]string{}, map[string]*regexp.Regexp{}, 0
}

// grows makes room for a text in the cache.
func (p *parses) grows(text string) {
	if p.size += len(text); p.size > maxParses {
		p.clear()
		p.size = len(text)
	}
}

func (p *parses) fromYAML(text string) map[string]any {
	known, ok := p.maps[text]
	if !ok {
		known = parseMap(text, yamlInto)
		p.grows(text)
		p.maps[text] = known
	}
	copied, _ := deepCopy(known).(map[string]any)
	return copied
}

func (p *parses) toYAML(v any) string {
	if !plain(v) {
		return toYAML(v)
	}
	sum := content(v)
	known, ok := p.texts[sum]
	if !ok {
		known = toYAML(v)
		p.grows(known)
		p.texts[sum] = known
	}
	return known
}

// plain identifies values by their content, maps and lists first.
func plain(v any) bool {
	switch typed := v.(type) {
	case map[string]any:
		return typed != nil && plainItems(typed)
	case chartutil.Values:
		return typed != nil && plainItems(typed)
	case []any:
		for _, item := range typed {
			if !plainItem(item) {
				return false
			}
		}
		return typed != nil
	}
	return false
}

func plainItems(m map[string]any) bool {
	for _, item := range m {
		if !plainItem(item) {
			return false
		}
	}
	return true
}

func plainItem(v any) bool {
	switch v.(type) {
	case nil, bool, string, int, int64, float64:
		return true
	}
	return plain(v)
}

// regexMatch is sprig's: an invalid expression matches nothing.
func (p *parses) regexMatch(expression, text string) bool {
	known, ok := p.compiled[expression]
	if !ok {
		if len(p.compiled) >= maxCompiled {
			clear(p.compiled)
		}
		known, _ = regexp.Compile(expression)
		p.compiled[expression] = known
	}
	return known != nil && known.MatchString(text)
}
