package cluster_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/cluster"
)

// server responds to paths, with their query, from a table; everything else is not found.
func server(t *testing.T, replies map[string]string) (*cluster.Client, *[]string) {
	t.Helper()
	asked := &[]string{}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*asked = append(*asked, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
		reply, known := replies[r.URL.RequestURI()]
		if !known {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = io.WriteString(w, reply)
	}))
	t.Cleanup(api.Close)
	client, err := cluster.New(api.URL, api.Client())
	require.NoError(t, err)
	return client, asked
}

func TestReading(t *testing.T) {
	client, _ := server(t, map[string]string{
		"/api/v1/namespaces/ns/secrets/s":                                `{"data":{"k":"dg=="}}`,
		"/apis/networking.k8s.io/v1/ingressclasses?limit=100":            `{"metadata":{"continue":"2"},"items":[{"metadata":{"name":"z"}}]}`,
		"/apis/networking.k8s.io/v1/ingressclasses?continue=2&limit=100": `{"items":[{"metadata":{"name":"a"}}]}`,
		"/apis": `{"groups":[{"name":"gateway.networking.k8s.io"}]}`,
		"/apis/gateway.networking.k8s.io/v1/namespaces/ns/gateways/g":         `{}`,
		"/api/v1/namespaces/ns/services/svc":                                  `{}`,
		"/version":                                                            `{"gitVersion":"v1.34.4"}`,
		"/api/v1/nodes?limit=100":                                             `{"items":[{"metadata":{"name":"n"},"status":{"allocatable":{"cpu":"2"}}}]}`,
		"/apis/apiextensions.k8s.io/v1/customresourcedefinitions?limit=100":   `{"items":[{"metadata":{"name":"c","labels":{"l":"v"}}}]}`,
		"/apis/apps/v1/deployments?labelSelector=a%3Db&limit=100":             `{"items":[{"metadata":{"name":"d","namespace":"x"}}]}`,
		"/apis/apps/v1/deployments?fieldSelector=metadata.name%3Dd&limit=100": `{"items":[{"metadata":{"name":"d","namespace":"y"}}]}`,
		"/apis/authorization.k8s.io/v1/selfsubjectaccessreviews":              `{"status":{"allowed":true}}`,
	})
	ctx := context.Background()
	check := func(what string, got, want any, err error) {
		t.Helper()
		require.NoError(t, err, what)
		assert.Equal(t, want, got, what)
	}
	secret, err := client.Secret(ctx, "ns", "s")
	check("secret", string(secret["k"]), "v", err)
	classes, err := client.IngressClasses(ctx)
	check("classes", classes, []string{"a", "z"}, err)
	known, err := client.KnowsGateways(ctx)
	check("gateways", known, true, err)
	check("gateway", nil, nil, client.Gateway(ctx, "ns", "g"))
	check("service", nil, nil, client.Service(ctx, "ns", "svc"))
	version, err := client.Version(ctx)
	check("version", version, "v1.34.4", err)
	nodes, err := client.Nodes(ctx)
	check("nodes", nodes[0].Metadata.Name+nodes[0].Status.Allocatable["cpu"], "n2", err)
	crds, err := client.CRDs(ctx)
	check("crds", crds, []cluster.Meta{{Name: "c", Labels: map[string]string{"l": "v"}}}, err)
	byLabel, err := client.Deployments(ctx, "a=b", "")
	check("by label", byLabel[0].Metadata.Namespace, "x", err)
	byName, err := client.Deployments(ctx, "", "d")
	check("by name", byName[0].Metadata.Namespace, "y", err)
	allowed, err := client.Allowed(ctx, "create", "apps", "deployments", "ns")
	check("allowed", allowed, true, err)
}

// second audit, finding 9: replies of 32 MiB, several at once, in a pod with 64 MiB
func TestEndlessReplies(t *testing.T) {
	client, _ := server(t, map[string]string{
		"/api/v1/namespaces/ns/secrets/s": `{"data":{"k":"` + strings.Repeat("x", 4<<20) + `"}}`,
		"/api/v1/nodes?limit=100":         `{"metadata":{"continue":"x"}}`, "/api/v1/nodes?continue=x&limit=100": `{"metadata":{"continue":"x"}}`,
	})
	_, err := client.Secret(t.Context(), "ns", "s")
	require.EqualError(t, err, "get secrets/s: the reply has more than 4 MiB")
	_, err = client.Nodes(t.Context())
	require.EqualError(t, err, "list nodes: the list has more than 200 pages")
}

func TestReport(t *testing.T) {
	client, asked := server(t, map[string]string{"/api/v1/namespaces/ns/events": "{}"})
	err := client.Report(context.Background(), cluster.Event{
		Namespace: "ns", Kind: "Job", APIVersion: "batch/v1", Name: "j", UID: "u", Reason: "R", Message: "M",
		At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	})
	require.NoError(t, err)
	require.Len(t, *asked, 1)
	var event map[string]any
	require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix((*asked)[0], "POST /api/v1/namespaces/ns/events ")), &event))
	want := map[string]any{
		"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "R", "message": "M", "count": 1.0,
		"metadata":       map[string]any{"generateName": "j-", "namespace": "ns"},
		"involvedObject": map[string]any{"kind": "Job", "apiVersion": "batch/v1", "name": "j", "namespace": "ns", "uid": "u"},
		"firstTimestamp": "2026-01-02T03:04:05Z", "lastTimestamp": "2026-01-02T03:04:05Z",
		"source": map[string]any{"component": "validate-values"},
	}
	assert.Equal(t, want, event)
}

func TestErrors(t *testing.T) {
	status := http.StatusForbidden
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "no JSON")
	}))
	client, err := cluster.New(api.URL, api.Client())
	require.NoError(t, err)
	ask := func() *cluster.Error {
		_, err := client.Secret(context.Background(), "ns", "s")
		var refused *cluster.Error
		require.ErrorAs(t, err, &refused)
		return refused
	}
	answer := ask()
	assert.True(t, cluster.Forbidden(answer))
	assert.False(t, cluster.NotFound(answer))
	assert.EqualError(t, answer, "get secrets/s: HTTP 403")
	status = http.StatusNotFound
	answer = ask()
	assert.True(t, cluster.NotFound(answer))
	assert.False(t, cluster.Forbidden(answer))
	status = http.StatusOK
	answer = ask()
	assert.Zero(t, answer.Status)
	assert.ErrorContains(t, answer, "the reply cannot be read")
	assert.Error(t, answer.Unwrap())
	api.Close()
	answer = ask()
	assert.Zero(t, answer.Status)
	assert.ErrorContains(t, answer, "connection refused")
}
