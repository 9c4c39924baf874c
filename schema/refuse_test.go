package schema

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/dropped"
)

func TestRefuse(t *testing.T) {
	t.Parallel()
	node := func() Node { return Node{"properties": Node{"a": Node{"properties": Node{}}, "b": Node{}}} }
	for name, c := range map[string]struct {
		path string
		err  string
	}{
		"below an object": {path: "a.old"},
		"below a value":   {path: "b.old", err: "dropped value b.old: b has no keys of its own"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema := node()
			err := refuse(schema, []dropped.Value{{Path: dropped.ParsePath(c.path), Reason: "It is gone", Instead: "Set c"}}, nil)
			if c.err != "" {
				assert.EqualError(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, Node{"description": "(left out) It is gone. Set c.", "const": "(left out) It is gone. Set c."}, schema["properties"].(Node)["a"].(Node)["properties"].(Node)["old"])
		})
	}
}

// Of a value that only as a list is dropped, every other type stays as it is.
func TestRefuseList(t *testing.T) {
	t.Parallel()
	gone := []dropped.Value{{Path: dropped.Path{"tls"}, Reason: "It is a switch", Instead: "Set c", List: true}}
	then := Node{"const": "(left out) It is a switch. Set c."}
	for name, c := range map[string]struct{ node, want Node }{
		"a type": {
			node: Node{"properties": Node{"tls": Node{"type": []any{"boolean", "null"}}}},
			want: Node{"type": []any{"boolean", "null", "array"}, "if": Node{"type": "array", "minItems": 1}, "then": then},
		},
		"a definition": {
			node: Node{"properties": Node{"tls": Node{"$ref": "#/definitions/a"}}, "definitions": Node{"a": Node{"type": []any{"object"}}}},
			want: Node{"type": []any{"object", "array"}, "if": Node{"type": "array", "minItems": 1}, "then": then},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, refuse(c.node, gone, nil))
			assert.Equal(t, c.want, c.node["properties"].(Node)["tls"])
		})
	}
}

// A dropped value is accepted if it is a default of the earlier chart; an image is always accepted because it differs between versions.
func TestRefusalTakesDefaults(t *testing.T) {
	t.Parallel()
	value := dropped.Value{Path: dropped.Path{"old"}, Reason: "It is gone", Instead: "Set c"}
	said := value.Sentence()
	defaults := []Default{
		{Path: dropped.Path{"old", "enabled"}, Value: true},
		{Path: dropped.Path{"old", "enabled"}, Value: true},
		{Path: dropped.Path{"old", "enabled"}, Value: false},
		{Path: dropped.Path{"old", "args"}, Value: []any{}},
		{Path: dropped.Path{"old", "args"}, Value: []any{}},
		{Path: dropped.Path{"old", "codes"}, Value: []any{200, 201}},
		{Path: dropped.Path{"old", "labels"}, Value: map[string]any{}},
		{Path: dropped.Path{"old", "image", "tag"}, Value: "1"},
		{Path: dropped.Path{"other"}, Value: "x"},
	}
	assert.Equal(t, Node{
		"description": said, "type": []any{"object", "null"}, "additionalProperties": Node{"const": said},
		"properties": Node{
			"enabled": Node{"enum": []any{said, true, false}},
			"args":    Node{"type": []any{"array", "null"}, "items": Node{"const": said}},
			"codes":   Node{"type": []any{"array", "null"}, "items": Node{"enum": []any{said, 200, 201}}},
			"labels":  Node{"type": []any{"object", "null"}, "additionalProperties": Node{"const": said}},
			"image":   Node{"type": []any{"object", "null"}, "additionalProperties": Node{"const": said}, "properties": Node{"tag": Node{"type": []any{"string", "null"}}}},
		},
	}, refusal(value, defaults))
	value.Harmless = true
	assert.Equal(t, Node{"description": said}, refusal(value, defaults))
}
