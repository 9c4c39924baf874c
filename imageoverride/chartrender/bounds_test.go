package chartrender_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBounds: templates that run or write endlessly are stopped.
func TestBounds(t *testing.T) {
	cases := map[string]string{
		`{{ repeat 1000000000 "x" }}`:                                          "repeat makes more than 24 MiB",
		`{{ until 100000000 | len }}`:                                          "until makes more than 1000000 items",
		`{{ untilStep 0 100000000 1 | len }}`:                                  "untilStep makes more than 1000000 items",
		`{{ range until 5000 }}{{ range until 5000 }}{{ end }}{{ end }}`:       "more than 1000000 steps",
		`{{ $x := repeat 100000 "x" }}{{ range until 1000 }}{{ $x }}{{ end }}`: "the templates write more than 24 MiB",
		`{{ define "a" }}{{ include "b" . }}{{ include "b" . }}{{ end }}{{ define "b" }}{{ range until 3000 }}{{ range until 3000 }}{{ end }}{{ end }}{{ end }}{{ include "a" . }}`: "more than 1000000 steps",
		`{{ tpl .Values.self . }}`: "a value that is a template includes itself",
	}
	for template, want := range cases {
		begun := time.Now()
		_, err := renderer(t, small(template)).Render(context.Background(), map[string]any{"self": "{{ tpl .Values.self . }}"})
		require.ErrorContains(t, err, want, template)
		require.Less(t, time.Since(begun), time.Minute, "it has to end long before a person gives up")
	}
}

// TestRenderEndsWithItsContext: a canceled context ends a render in the middle of a loop.
func TestRenderEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := renderer(t, small(`{{ range until 1500 }}{{ range until 1500 }}{{ repeat 10 "x" | sha256sum | trunc 0 }}{{ end }}{{ end }}`)).Render(ctx, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
