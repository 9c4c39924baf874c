package chartrender

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"
)

// TestToYAMLIsHelms: the direct encoder writes the same as Helm, which converts values to JSON first.
func TestToYAMLIsHelms(t *testing.T) {
	known := []any{
		nil, true, 0, -7, int64(1) << 60, 1.5, -0.25, 3.0, 1e6, 1500000.5, 1e-7, -1e15, math.Copysign(0, -1), 1e300 / 3.3e299, 123456789.125,
		"", "a", "true", "null", "~", "1", "1.0", "0x1f", "1e3", "2001-01-01", "a: b", "- a", "#", " a ", "a\nb", "a\n", "|", "é", "<&>", "\u2028", "\t", "\x01", strings.Repeat("long ", 40),
		map[string]any(nil), []any(nil), map[string]any{}, []any{}, chartutil.Values{"a": 1.0},
		map[string]any{"b": 1.0, "a10": "x", "a9": nil, "1": true, "true": 1, "": "e", "x y": []any{map[string]any{"k": []any{}}, "s", 2.5, nil}},
	}
	for _, v := range known {
		_, ok := asRead(v)
		require.True(t, ok, "%v", v)
	}
	other := []any{
		"\xff", 1e21, 1e16, math.Inf(1), math.NaN(), []string{"a"}, map[string]string{"a": "b"}, struct{ A int }{1}, uint8(3), float32(1.5), map[string]any{"<<": 1.0}, map[string]any{"\xff": 1.0},
		map[string]any{"a": []any{1e21}},
	}
	for _, v := range append(known, other...) {
		want, err := yaml.Marshal(v)
		if err != nil {
			want = nil
		}
		require.Equal(t, strings.TrimSuffix(string(want), "\n"), toYAML(v), "%v", v)
	}
}
