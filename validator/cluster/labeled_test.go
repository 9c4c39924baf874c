package cluster_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/cluster"
)

const internalApplications = "applications.v1alpha1.argoproj.io?codefresh.io/internal=true"

func TestParseLabeled(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"secrets.v1?a=b,c=d": "secrets -l a=b,c=d",
		internalApplications: "applications.argoproj.io -l codefresh.io/internal=true",
	} {
		labeled, err := cluster.ParseLabeled(text)
		require.NoError(t, err)
		assert.Equal(t, want, labeled.String())
	}
	for _, text := range []string{"", "secrets?a=b", "secrets.v1", "secrets.v1?", "secrets.v1?a", ".v1?a=b"} {
		_, err := cluster.ParseLabeled(text)
		assert.EqualError(t, err, `"`+text+`" names no objects; write resource.version[.group]?key=value, as in secrets.v1?io.codefresh.integration-type=git`)
	}
}

// answers returns a client of a server that responds to each request by "METHOD path?query", or 404 if the table has no response, and the requests
// that it received, with their bodies.
func answers(t *testing.T, replies map[string]string) (*cluster.Client, *[]string) {
	t.Helper()
	var requests []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		request := r.Method + " " + r.URL.RequestURI()
		requests = append(requests, request+string(body))
		reply, found := replies[request]
		if !found {
			w.WriteHeader(http.StatusNotFound)
		}
		if !json.Valid([]byte(reply)) {
			w.WriteHeader(http.StatusForbidden)
		}
		_, _ = io.WriteString(w, reply)
	}))
	t.Cleanup(server.Close)
	client, err := cluster.New(server.URL, server.Client())
	require.NoError(t, err)
	return client, &requests
}

func TestDeleteLabeled(t *testing.T) {
	t.Parallel()
	const request = "DELETE /api/v1/namespaces/ns/secrets?labelSelector=a%3Db%2Cc%3Dd"
	for name, test := range map[string]struct {
		replies map[string]string
		err     string
	}{
		"deleted":       {replies: map[string]string{request: "{}"}},
		"unknown kind":  {},
		"not permitted": {replies: map[string]string{request: "no"}, err: "deletecollection secrets: HTTP 403"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, requests := answers(t, test.replies)
			err := client.DeleteLabeled(t.Context(), "ns", cluster.Labeled{Version: "v1", Resource: "secrets", Selector: "a=b,c=d"})
			if test.err == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, test.err)
			}
			assert.Equal(t, []string{request}, *requests)
		})
	}
}

func TestReleaseLabeled(t *testing.T) {
	t.Parallel()
	const (
		list    = "GET /apis/argoproj.io/v1alpha1/namespaces/ns/applications?labelSelector=codefresh.io%2Finternal%3Dtrue"
		patch   = "PATCH /apis/argoproj.io/v1alpha1/namespaces/ns/applications/one"
		patched = patch + `{"metadata":{"finalizers":null}}`
		two     = `{"items":[{"metadata":{"name":"one","finalizers":["resources-finalizer.argocd.argoproj.io"]}},{"metadata":{"name":"two"}}]}`
	)
	for name, test := range map[string]struct {
		replies  map[string]string
		released []string
		err      string
		requests []string
	}{
		"one of two has finalizers": {map[string]string{list: two, patch: "{}"}, []string{"one"}, "", []string{list, patched}},
		"unknown kind":              {nil, nil, "", []string{list}},
		"already deleted":           {map[string]string{list: two}, []string{"one"}, "", []string{list, patched}},
		"list forbidden":            {map[string]string{list: "no"}, nil, "list applications: HTTP 403", []string{list}},
		"patch forbidden":           {map[string]string{list: two, patch: "no"}, []string{"one"}, "patch applications/one: HTTP 403", []string{list, patched}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, requests := answers(t, test.replies)
			objects, err := cluster.ParseLabeled(internalApplications)
			require.NoError(t, err)
			released, err := client.ReleaseLabeled(t.Context(), "ns", objects)
			if test.err == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, test.err)
			}
			assert.Equal(t, test.released, released)
			assert.Equal(t, test.requests, *requests)
		})
	}
}
