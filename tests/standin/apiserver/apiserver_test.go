package apiserver_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/apiserver"
)

func TestServer(t *testing.T) {
	t.Parallel()
	made := apiserver.New(
		apiserver.Kind{APIVersion: "v1", Kind: "Secret", Plural: "secrets", Namespaced: true}, apiserver.Kind{APIVersion: "v1", Kind: "Node", Plural: "nodes"})
	made.Texts["/api/v1/namespaces/a/pods/p/log"] = "a line"
	made.Denied["/forbidden"] = http.StatusForbidden
	server := httptest.NewServer(made)
	t.Cleanup(server.Close)
	ask := func(method, path, body string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
		require.NoError(t, err)
		response, err := server.Client().Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, string(bytes.TrimSpace(text))
	}
	made.Add(map[string]any{"apiVersion": "v1", "kind": "Secret", "type": "t", "metadata": map[string]any{"name": "one", "namespace": "a", "labels": map[string]any{"l": "1"}}})
	const secret = `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"two","namespace":"b"},"data":{"x":"1","y":"2"}}`
	for _, step := range []struct {
		method, path, body string
		status             int
		want               []string
	}{
		{"POST", "/api/v1/namespaces/b/secrets", secret, 200, []string{`"uid":"uid-1"`}},
		{"POST", "/api/v1/namespaces/b/secrets", secret, 409, []string{"exists"}},
		{"PATCH", "/api/v1/namespaces/b/secrets/two", `{"data":{"x":null,"z":"3"}}`, 200, nil},
		{"GET", "/api/v1/namespaces/b/secrets/two", "", 200, []string{`"data":{"y":"2","z":"3"}`}},
		{"PATCH", "/api/v1/namespaces/b/secrets/three", `{}`, 404, nil},
		{"GET", "/api/v1/secrets", "", 200, []string{`"one"`, `"two"`}},
		{"GET", "/api/v1/secrets?labelSelector=l%3D1", "", 200, []string{`"items":[{`, `"one"`}},
		{"GET", "/api/v1/namespaces/a/secrets?fieldSelector=type!%3Dt", "", 200, []string{`{"items":[]}`}},
		{"GET", "/api/v1", "", 200, []string{`"namespaced":true`, `"nodes"`}},
		{"GET", "/api/v1/namespaces/a/pods/p/log", "", 200, []string{"a line"}},
		{"GET", "/api/v1/forbidden", "", 403, nil},
		{"DELETE", "/api/v1/namespaces/a/secrets/one", "", 200, nil},
		{"GET", "/api/v1/namespaces/a/secrets/one", "", 404, nil},
	} {
		status, text := ask(step.method, step.path, step.body)
		assert.Equal(t, step.status, status, "%s %s: %s", step.method, step.path, text)
		for _, part := range step.want {
			assert.Contains(t, text, part, step.path)
		}
	}
	assert.Equal(t, []string{"POST /api/v1/namespaces/b/secrets/two", "PATCH /api/v1/namespaces/b/secrets/two", "DELETE /api/v1/namespaces/a/secrets/one"}, made.Writes)
	assert.Equal(t, []string{"/api/v1/namespaces/b/secrets/two"}, made.Paths())
	text, err := json.Marshal(made.Object("/api/v1/namespaces/b/secrets/two"))
	require.NoError(t, err)
	assert.Contains(t, string(text), `"z":"3"`)
}
