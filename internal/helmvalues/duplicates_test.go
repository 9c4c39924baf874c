package helmvalues_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/helmvalues"
)

func TestDuplicates(t *testing.T) {
	for text, want := range map[string][]string{
		"a: 1\nb: 2\n":                     nil,
		"a: 1\nb: 2\na: 3\n":               {"line 3: key a is also on line 1; Helm uses the last one"},
		"a:\n  b.c: 1\n  b.c: 2\n":         {`line 3: key a.b\.c is also on line 2; Helm uses the last one`},
		"a:\n  - x: 1\n  - x: 1\n    x: 2": {"line 4: key a[1].x is also on line 3; Helm uses the last one"},
		"a: 1\na: 2\na: 3\n":               {"line 2: key a is also on line 1; Helm uses the last one", "line 3: key a is also on line 1; Helm uses the last one"},
		"a: [b":                            nil,
		"x: &x {a: 1}\ny: {<<: *x, a: 2}":  nil,
		"":                                 nil,
	} {
		var all []string
		for _, one := range helmvalues.Duplicates([]byte(text)) {
			all = append(all, one.String())
		}
		require.Equal(t, want, all, text)
	}
}
