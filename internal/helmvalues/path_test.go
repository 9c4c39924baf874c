package helmvalues_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/internal/helmvalues"
)

func TestParsePath(t *testing.T) {
	cases := map[string]helmvalues.Path{
		"":                         nil,
		"a":                        {{Key: "a"}},
		"a.b":                      {{Key: "a"}, {Key: "b"}},
		`a\.b.c`:                   {{Key: "a.b"}, {Key: "c"}},
		"list[2]":                  {{Key: "list"}, {Index: 2}},
		"list[0][1].x":             {{Key: "list"}, {}, {Index: 1}, {Key: "x"}},
		"a[-1]":                    {{Key: "a"}, {Key: "[-1]"}},
		"a[9999999999999999999].b": {{Key: "a"}, {Key: "[9999999999999999999]"}, {Key: "b"}},
	}
	for text, want := range cases {
		assert.Equal(t, want, helmvalues.ParsePath(text), text)
	}
}

// A formatted path is parsed to the same path.
func TestPathsAreParsedAsFormatted(t *testing.T) {
	for _, path := range []helmvalues.Path{
		{{Key: "a"}}, {{Key: "a.b"}, {Key: "c"}}, {{Key: "a"}, {Index: 3}, {Key: "b"}}, {{Key: "a"}, {}, {}},
	} {
		assert.Equal(t, path, helmvalues.ParsePath(path.String()))
	}
}
