package chartrender

import (
	"regexp"

	"helm.sh/helm/v3/pkg/chartutil"
)

// parses caches the results of fromYaml and toYaml and the expressions of regexMatch, most of which recur in other templates and renders.
type parses struct {
	maps     map[string]map[string]any
	texts    map[uint64]string
	compiled map[string]*regexp.Regexp
	size     int
}

// maxParses limits the size of the cached texts in bytes, and maxCompiled the
// number of expressions; a full cache is cleared.
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

// grows counts a text that is added to the cache, which it clears if it is full.
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

// plain reports whether a value is a map or a list that content identifies: one of maps, lists and scalars.
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

// regexMatch is sprig's regexMatch: an invalid expression matches nothing.
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
