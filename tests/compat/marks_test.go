package compat

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/schema/dropped"
)

// A value counts as seen only if its own mark shows: not one that no template reads, that is refused, encoded or overruled.
func TestMarked(t *testing.T) {
	t.Parallel()
	small := &chart.Chart{
		Metadata: &chart.Metadata{APIVersion: "v2", Name: "small", Version: "1.0.0"},
		Values:   map[string]any{"text": "a", "overruled": "b", "unread": "c"},
		Schema:   []byte(`{"properties": {"choice": {"type": "string", "enum": ["a", "b"]}, "short": {"type": "string", "maxLength": 3}, "names": {"items": {"type": "string"}}}}`),
		Templates: []*chart.File{{Name: "templates/one.yaml", Data: []byte(`text: {{ .Values.text | default .Values.overruled }}
number: {{ .Values.number }}
taken: 20002
port: "--port={{ .Values.port }}"
labels: {{ toJson .Values.labels }}
names: {{ toJson .Values.names }}
items: {{ toJson .Values.items }}
encoded: {{ .Values.encoded | toString | b64enc }}
short: {{ .Values.short }}
on: {{ .Values.on }}
choice: {{ .Values.choice }}
{{ if hasPrefix "mark" (.Values.refused | toString) }}{{ fail "no" }}{{ end }}refused: {{ .Values.refused }}
`)}},
	}
	compiled, err := compile(small)
	require.NoError(t, err)
	prover := &Prover{Chart: &Chart{chart: small, schemas: map[string]chartSchema{"": compiled}}, Fixture: Fixture{To: map[string]any{"chosen": "x"}}}
	var values []Value
	for _, each := range []struct{ path, kind string }{
		{"text", "string"}, {"number", "integer"}, {"port", "integer"}, {"labels", "object"}, {"labels.a", "string"}, {"names", "array"}, {"items", "array"},
		{"overruled", "string"}, {"unread", "string"}, {"unread2", "integer"}, {"encoded", "string"}, {"short", "string"}, {"on", "boolean"},
		{"choice", "string"}, {"refused", "string"}, {"chosen", "string"},
	} {
		values = append(values, Value{Path: dropped.ParsePath(each.path), Type: each.kind})
	}
	seen, err := prover.Marked(values)
	require.NoError(t, err)
	assert.Equal(t, map[string]bool{"text": true, "number": true, "port": true, "labels": true, "names": true, "items": true}, seen)
}

func TestWords(t *testing.T) {
	t.Parallel()
	assert.Equal(t, map[string]bool{"mark20001z": true, "20002": true, "20003": true, "20004": true}, words(map[string]string{
		"a": "x: 'amark20001zb'\ny: 20002\nz: 120005, 20006a, a+20007, 20008=, 200090",
		"b": "20003\n--port=20004",
	}))
}
