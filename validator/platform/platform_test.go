package platform_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/testkit"
	"gitops-runtime/validator/platform"
)

func serve(t testing.TB, status int, body string) *platform.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return &platform.Client{URL: server.URL, Token: "secret", HTTP: server.Client()}
}

func TestRequest(t *testing.T) {
	var method, path, token, kind, body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		method, path, token, kind, body = r.Method, r.URL.Path, r.Header.Get("Authorization"), r.Header.Get("Content-Type"), string(text)
		_, _ = io.WriteString(w, `{"data":{"runtime":{"metadata":{"name":"a","namespace":"b"},"cluster":"c"}}}`)
	}))
	defer server.Close()
	client := &platform.Client{URL: server.URL + "/", Token: "secret", HTTP: server.Client()}
	found, err := client.Runtime(context.Background(), "a")
	require.NoError(t, err)
	require.Equal(t, "b", found.Metadata.Namespace)
	require.Equal(t, "c", found.Cluster)
	assert.Equal(t, "POST", method)
	assert.Equal(t, "/2.0/api/graphql", path)
	assert.Equal(t, "secret", token)
	assert.Equal(t, "application/json", kind)
	assert.Contains(t, body, `"variables":{"name":"a"}`)
}

func TestMe(t *testing.T) {
	client := serve(t, 200, `{"data":{"me":{"id":"u","name":"n","activeAccount":{"id":"a","admins":["x","u"]}}}}`)
	user, err := client.Me(context.Background())
	require.NoError(t, err)
	assert.True(t, user.Administers())
	assert.Equal(t, "a", user.ActiveAccount.ID)
	assert.False(t, (platform.User{ID: "u"}).Administers(), "a user without an account or without the role is not an administrator")
	assert.False(t, (platform.User{ID: "u", ActiveAccount: &platform.Account{Admins: []string{"x"}}}).Administers(), "a user without an account or without the role is not an administrator")
}

func TestReplies(t *testing.T) {
	cases := []struct {
		status int
		body   string
		kind   platform.Kind
		text   string
	}{
		{401, "", platform.Refused, "HTTP 401"},
		{200, `{"data":{"me":null}}`, platform.Refused, "it knows no user for it"},
		{200, `{"errors":[{"message":"secret","extensions":{"code":"UNAUTHENTICATED"}}]}`, platform.Refused, "GraphQL code UNAUTHENTICATED"},
		{403, "", platform.Unavailable, "HTTP 403"},
		{429, "", platform.Unavailable, "HTTP 429"},
		{502, "", platform.Unavailable, "HTTP 502"},
		{200, `{"errors":[{"message":"secret"}]}`, platform.Rejected, "a GraphQL error (without a code)"},
		{400, `{"errors":[{"message":"secret","extensions":{"code":"BAD_USER_INPUT"}}]}`, platform.Rejected, "(BAD_USER_INPUT)"},
		{200, "<html>secret", platform.Foreign, "HTTP 200, the reply is not JSON"},
		{200, "{}", platform.Foreign, "the response contains no data"},
		{200, `{"data":null}`, platform.Foreign, "the response contains no data"},
		{200, `{"data":{"me":7}}`, platform.Foreign, "the data has another form"},
		{404, `{"data":{}}`, platform.Foreign, "HTTP 404"},
	}
	for _, c := range cases {
		_, err := serve(t, c.status, c.body).Me(context.Background())
		var answer *platform.Error
		require.ErrorAs(t, err, &answer, "%d %s", c.status, c.body)
		assert.Equal(t, c.kind, answer.Kind, "%d %s", c.status, c.body)
		assert.Contains(t, answer.Error(), c.text, "%d %s", c.status, c.body)
		assert.NotContains(t, err.Error(), "secret", "%d %s", c.status, c.body)
	}
	gone := &platform.Client{URL: "http://nothing.invalid", HTTP: http.DefaultClient}
	var answer *platform.Error
	_, err := gone.Me(context.Background())
	require.ErrorAs(t, err, &answer)
	assert.Equal(t, platform.Unreachable, answer.Kind)
}

// No response makes the client panic, hang, or repeat what was sent.
func FuzzReply(f *testing.F) {
	seeds := []string{
		"", "{}", "null", "[]", `{"data":{"me":{"activeAccount":{"admins":[null]}}}}`, `{"errors":null}`, `{"errors":[{}]}`, "\xff", `{"data":"x"}`,
		`{"data":{"runtime":{"metadata":{"name":"a","namespace":"b"},"cluster":"c","ingressHost":null}},"errors":[{"extensions":{"code":"X"}}]}`,
	}
	for i, seed := range append(seeds, testkit.Mutate(seeds, 500)...) {
		f.Add([]int{200, 400, 401, 503}[i%4], seed)
	}
	f.Fuzz(func(t *testing.T, status int, body string) {
		client := &platform.Client{URL: "http://p.test", Token: "canary-token", HTTP: &http.Client{Transport: reply{status, body}}}
		user, err := client.Me(context.Background())
		assert.NotEqual(t, err == nil, user == nil)
		assert.False(t, err != nil && !strings.Contains(body, "canary") && strings.Contains(err.Error(), "canary"), "the error shows the token: %v", err)
		_, _ = client.Runtime(context.Background(), "x")
	})
}

type reply struct {
	status int
	body   string
}

func (r reply) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: r.status, Body: io.NopCloser(strings.NewReader(r.body)), Header: http.Header{}}, nil
}
