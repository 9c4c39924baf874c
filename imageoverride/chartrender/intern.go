package chartrender

import "helm.sh/helm/v3/pkg/chartutil"

// interned stores one copy of equal maps and lists, since the values of most scenarios differ little. Its results must not be modified.
type interned struct{ known map[uint64]any }

func (i interned) tree(tree map[string]any) map[string]any {
	shared, _ := i.node(tree)
	same, _ := shared.(map[string]any)
	return same
}

// node returns a value composed of shared maps and lists, and the hash of its content.
func (i interned) node(value any) (any, uint64) {
	var sum uint64
	var fresh any
	switch typed := value.(type) {
	case map[string]any:
		if typed == nil {
			return typed, content(typed)
		}
		copied := make(map[string]any, len(typed))
		sum = 17
		for key, item := range typed {
			below, part := i.node(item)
			copied[key] = below
			sum += keyed(key, part)
		}
		fresh, sum = copied, mix(sum, uint64(len(typed)))
	case chartutil.Values:
		return i.node(map[string]any(typed))
	case []any:
		if typed == nil {
			return typed, content(typed)
		}
		copied := make([]any, len(typed))
		sum = 19
		for at, item := range typed {
			below, part := i.node(item)
			copied[at] = below
			sum = mix(sum, part)
		}
		fresh, sum = copied, mix(sum, uint64(len(typed)))
	default:
		return value, content(value)
	}
	if same, ok := i.known[sum]; ok {
		return same, sum
	}
	i.known[sum] = fresh
	return fresh, sum
}
