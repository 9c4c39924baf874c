package render_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/render"
)

// The runtime has additional objects, as maps and as text, with their templates evaluated.
func TestExtraObjectsOfTheRuntime(t *testing.T) {
	t.Parallel()
	release := umbrella("tunnel", nil)
	release.SetJSON = map[string]string{"extraObjects": `[{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "{{ .Release.Name }}-a"}, "data": {"a": "{{ .Values.global.runtime.name }}"}},
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n"]`}
	objects := release.Objects(t)
	first := render.Find(objects, "ConfigMap", "cf-a")
	require.NotNil(t, first)
	assert.Equal(t, map[string]any{"a": "production"}, first.Object["data"])
	assert.NotNil(t, render.Find(objects, "ConfigMap", "b"))
}
