package chartrender

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"
)

// jsonValues returns values as in charts, and others.
func jsonValues() []any {
	deep := any("bottom")
	for range 2 * maxJSON {
		deep = map[string]any{"x": []any{deep}}
	}
	return []any{
		nil, true, false, 0, -7, int64(1) << 60, 1 << 53, 1.5, -0.25, 3.0, 1e6, 1e-7, -1e15, 1e21, math.Copysign(0, -1), math.Inf(1), math.NaN(), uint8(3), float32(1.5),
		"", "a", "a\nb", `"`, `\`, "<&>", "é", "\u2028", "\x01", "\xff", "{{ .x }}", strings.Repeat("long ", 40), []string{"a"}, map[string]string{"a": "b"}, struct{ A int }{1},
		map[string]any(nil), []any(nil), map[string]any{}, []any{}, chartutil.Values{"a": 1.0}, chartutil.Values(nil),
		map[string]any{"b": 1.0, "a10": "x", "a9": nil, "<": 1, "\xff": 1}, map[string]any{"b": 1.0, "a10": "x", "a9": nil, "1": true, "": "e", "x y": []any{map[string]any{"k": []any{}}, "s", 2.0, nil}},
		[]any{map[string]any{"a": []string{"x"}}}, deep, func() {},
	}
}

// TestToJSONIsHelms: the encoder without reflection writes the same as json.Marshal.
func TestToJSONIsHelms(t *testing.T) {
	for _, v := range jsonValues() {
		want, err := json.Marshal(v)
		if err != nil {
			want = nil
		}
		text, err := toJSON(v)
		require.NoError(t, err)
		require.Equal(t, string(want), text, "%v", v)
	}
}
