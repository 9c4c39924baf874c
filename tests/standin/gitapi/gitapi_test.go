package gitapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/gitapi"
)

func ask(t *testing.T, options gitapi.Options, method, path, token string) (int, http.Header, string) {
	t.Helper()
	server, err := gitapi.New(options)
	require.NoError(t, err)
	request := httptest.NewRequest(method, path, nil)
	switch options.Kind {
	case "GITLAB":
		request.Header.Set("PRIVATE-TOKEN", token)
	case "BITBUCKET", "GERRIT":
		request.SetBasicAuth("robot", token)
	default:
		request.Header.Set("Authorization", "Bearer "+token)
	}
	recorder := httptest.NewRecorder()
	server.ServeHTTP(recorder, request)
	return recorder.Code, recorder.Header(), recorder.Body.String()
}

func TestReplies(t *testing.T) {
	tokens := []gitapi.Token{
		{Value: "alive", Scopes: []string{"repo", "api", "account", "PROJECT_ADMIN"}, Expires: time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)},
		{Value: "narrow", Scopes: []string{"read_repository"}},
		{Value: "fine", FineGrained: true},
		{Value: "gone", Expired: true},
		{Value: "project", Scopes: []string{"api"}, Project: true},
	}
	for _, c := range []struct {
		kind, path, token string
		status            int
		header, body      string
	}{
		{"GITHUB", "/api/v3/user", "alive", 200, "X-Oauth-Scopes: repo, api, account, PROJECT_ADMIN", `"login":"robot"`},
		{"GITHUB", "/api/v3/user", "alive", 200, "Github-Authentication-Token-Expiration: 2027-01-02 03:04:05 UTC", ""},
		{"GITHUB", "/api/v3/user", "fine", 200, "X-Oauth-Scopes: ", ""},
		{"GITHUB", "/api/v3/repos/o/r", "fine", 200, "", `"full_name":"o/r"`},
		{"GITHUB", "/api/v3/repos/o/other", "fine", 404, "", "Not Found"},
		{"GITHUB", "/api/v3/user", "gone", 401, "", "Bad credentials"},
		{"GITHUB", "/user", "alive", 404, "Content-Type: text/html; charset=utf-8", "Not Found"},
		{"GITLAB", "/api/v3/user", "project", 200, "", "project_17_bot"},
		{"GITLAB", "/api/v3/user", "narrow", 403, "", "insufficient_scope"},
		{"GITLAB", "/api/v3/personal_access_tokens/self", "alive", 200, "", `"expires_at":"2027-01-02"`},
		{"GITLAB", "/api/v3/personal_access_tokens/self", "project", 200, "", `"expires_at":null`},
		{"GITLAB", "/api/v3/user", "gone", 401, "", "Token is expired"},
		{"GITLAB", "/api/v3/user", "", 401, "", "401 Unauthorized"},
		{"GITLAB", "/api/v3/other", "alive", 404, "", "404 Not Found"},
		{"BITBUCKET", "/api/v3/user", "alive", 200, "", `"type":"user"`},
		{"BITBUCKET", "/api/v3/user", "narrow", 403, "", `"granted":["read_repository"]`},
		{"BITBUCKET", "/api/v3/user", "gone", 401, `Www-Authenticate: Basic realm="Bitbucket.org HTTP"`, ""},
		{"BITBUCKET", "/api/v3/other", "alive", 404, "", "Resource not found"},
		{"BITBUCKET_SERVER", "/api/v3/rest/api/latest/application-properties", "narrow", 200, "X-Ausername: robot", "8.19.1"},
		{"BITBUCKET_SERVER", "/api/v3/rest/api/latest/projects?permission=PROJECT_ADMIN&limit=1", "alive", 200, "", `"size":1`},
		{"BITBUCKET_SERVER", "/api/v3/rest/api/latest/repos?permission=REPO_ADMIN&limit=1", "alive", 200, "", `"size":0`},
		{"BITBUCKET_SERVER", "/api/v3/rest/api/latest/x", "alive", 404, "", "NotFoundException"},
		{"BITBUCKET_SERVER", "/api/v3/rest/api/latest/x", "gone", 401, "", "Authentication failed"},
		{"GERRIT", "/api/v3/a/accounts/self", "alive", 200, "", ")]}'\n{\"_account_id\":1000001"},
		{"GERRIT", "/api/v3/a/other", "alive", 404, "", "Not Found"},
		{"GERRIT", "/api/v3/a/accounts/self", "gone", 401, "", "Unauthorized"},
	} {
		status, header, body := ask(t, gitapi.Options{Kind: c.kind, Prefix: "/api/v3", Tokens: tokens, Repositories: []string{"o/r"}}, http.MethodGet, c.path, c.token)
		name, value, _ := strings.Cut(c.header, ": ")
		assert.Equal(t, c.status, status, "%s %s %s", c.kind, c.path, c.token)
		assert.Equal(t, value, header.Get(name), "%s %s %s", c.kind, c.path, c.token)
		assert.Contains(t, body, c.body, "%s %s %s", c.kind, c.path, c.token)
	}
}

func TestFaults(t *testing.T) {
	for _, kind := range []string{"GITHUB", "GITLAB", "BITBUCKET", "BITBUCKET_SERVER", "GERRIT"} {
		for _, status := range []int{403, 404, 429, 503} {
			got, _, body := ask(t, gitapi.Options{Kind: kind, Fault: status}, http.MethodGet, "/user", "x")
			assert.Equal(t, status, got, "%s: %d %s", kind, got, body)
			assert.NotEmpty(t, body, "%s: %d %s", kind, got, body)
		}
		got, _, _ := ask(t, gitapi.Options{Kind: kind}, http.MethodPost, "/user", "x")
		assert.Equal(t, http.StatusMethodNotAllowed, got, "%s: a write got %d", kind, got)
	}
	_, err := gitapi.New(gitapi.Options{Kind: "SVN"})
	assert.Error(t, err, "SVN is not a provider")
}
