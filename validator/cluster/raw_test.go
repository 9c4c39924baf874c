package cluster_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/cluster"
)

// Objects of any kind are read, created and changed by their paths; an error contains the server's message.
func TestRaw(t *testing.T) {
	t.Parallel()
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = append(asked, r.Method+" "+r.URL.Path+" "+r.Header.Get("Content-Type")+" "+string(body))
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"kind":"Status","message":"denied by a policy","code":403}`))
			return
		}
		_, _ = w.Write([]byte(`{"spec":{"replicas":2}}`))
	}))
	t.Cleanup(server.Close)
	client, err := cluster.New(server.URL, server.Client())
	require.NoError(t, err)
	const path = "/apis/argoproj.io/v1alpha1/namespaces/ns/rollouts"
	var read struct{ Spec struct{ Replicas int } }
	require.NoError(t, client.Get(t.Context(), path+"/one", &read))
	assert.Equal(t, 2, read.Spec.Replicas)
	require.NoError(t, client.Merge(t.Context(), path+"/one", map[string]any{"spec": nil}))
	err = client.Create(t.Context(), path, map[string]any{"kind": "Rollout"})
	var refused *cluster.Error
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, cluster.Error{Verb: "create", Resource: "rollouts", Status: http.StatusForbidden, Message: "denied by a policy"}, *refused)
	assert.EqualError(t, err, "create rollouts: HTTP 403")
	assert.Equal(t, []string{
		"GET " + path + "/one  ", `PATCH ` + path + `/one application/merge-patch+json {"spec":null}`, `POST ` + path + ` application/json {"kind":"Rollout"}`,
	}, asked)
}
