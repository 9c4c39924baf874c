package chartrender

import (
	"testing"

	"github.com/Masterminds/sprig/v3"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"
)

// TestParsesChangeNothing: cached results are equal to the first ones, even for similar values.
func TestParsesChangeNothing(t *testing.T) {
	p := newParses()
	alike := []any{
		map[string]any{}, map[string]any(nil), []any{}, []any(nil), nil, "", 0, 0.0, int64(0), false, map[string]any{"a": nil}, map[string]any{"a": ""}, map[string]any{"a": 1},
		map[string]any{"a": 1.0}, map[string]any{"a": int64(1)}, map[string]any{"a": "1"}, map[string]any{"a": true}, map[string]any{"a": "true"}, map[string]any{"a": []any{}},
		map[string]any{"a": map[string]any{}}, map[string]any{"a": map[string]any(nil)}, map[string]any{"a": []string{"x"}}, map[string]any{"a": []string{"y"}},
		[]any{1, 2}, []any{2, 1}, []any{[]any{1}, 2}, []any{1, []any{2}}, chartutil.Values{"a": 1.0}, chartutil.Values(nil), map[string]any{"a": 1, "b": 2}, map[string]any{"a": 2, "b": 1},
		map[string]any{"a": 1e16}, map[string]any{"a": 1e21}, append(jsonValues()[:0:0], jsonValues()[:20]...),
	}
	for range 2 {
		for _, v := range alike {
			require.Equal(t, toYAML(v), p.toYAML(v), "%#v", v)
		}
	}
	first := p.fromYAML("a: {b: 1}")
	first["a"].(map[string]any)["b"] = 2
	require.Equal(t, map[string]any{"a": map[string]any{"b": 1.0}}, p.fromYAML("a: {b: 1}"))
	match, _ := sprig.TxtFuncMap()["regexMatch"].(func(string, string) bool)
	for range 2 {
		for _, expression := range []string{"^a+$", "(", "b"} {
			for _, text := range []string{"aaa", "b", "("} {
				require.Equal(t, match(expression, text), p.regexMatch(expression, text), "%s %s", expression, text)
			}
		}
	}
}
