package git_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/testkit"
	"gitops-runtime/validator/git"
)

// script responds to requests by path and records them.
type script struct {
	replies map[string]string
	asked   []string
	headers http.Header
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked = append(s.asked, r.Method+" "+r.URL.String())
	user, password, basic := r.BasicAuth()
	switch {
	case basic:
		s.asked = append(s.asked, "basic "+user+":"+password)
	case r.Header.Get("PRIVATE-TOKEN") != "":
		s.asked = append(s.asked, "private "+r.Header.Get("PRIVATE-TOKEN"))
	default:
		s.asked = append(s.asked, r.Header.Get("Authorization"))
	}
	status, body := http.StatusOK, s.replies[r.URL.Path]
	if _, known := s.replies[r.URL.Path]; !known {
		status = http.StatusNotFound
	}
	headers := s.headers
	if headers == nil {
		headers = http.Header{}
	}
	return &http.Response{StatusCode: status, Header: headers, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// Providers send only GET requests, to the API of the account, with the expected credentials.
func TestRequests(t *testing.T) {
	cases := map[string]struct {
		replies map[string]string
		headers http.Header
		want    string
	}{
		"GITHUB": {
			map[string]string{"/api/user": "{}", "/api/repos/o/r": "{}"}, nil,
			"GET https://git.test/api/user, Bearer t, GET https://git.test/api/repos/o/r, Bearer t",
		},
		"GITLAB": {
			map[string]string{"/api/user": "{}", "/api/personal_access_tokens/self": `{"scopes":["api"]}`}, nil,
			"GET https://git.test/api/user, private t, GET https://git.test/api/personal_access_tokens/self, private t",
		},
		"BITBUCKET": {map[string]string{"/api/user": "{}"}, nil, "GET https://git.test/api/user, basic u:t"},
		"BITBUCKET_SERVER": {
			map[string]string{"/api/rest/api/latest/application-properties": "{}", "/api/rest/api/latest/projects": `{"size":1}`},
			http.Header{"X-Ausername": {"u"}},
			"GET https://git.test/api/rest/api/latest/application-properties, Bearer t, " +
				"GET https://git.test/api/rest/api/latest/projects?permission=PROJECT_ADMIN&limit=1, Bearer t",
		},
		"GERRIT": {map[string]string{"/api/a/accounts/self": ")]}'\n{}"}, nil, "GET https://git.test/api/a/accounts/self, basic u:t"},
	}
	for name, c := range cases {
		provider, known := git.ByName(name)
		require.True(t, known, "%s is not known", name)
		server := &script{replies: c.replies, headers: c.headers}
		_, err := provider(context.Background(), git.Server{
			URL: "https://git.test/api/", Repository: "https://git.test/o/r.git/folder?ref=main", HTTP: &http.Client{Transport: server},
		}, git.Credentials{User: "u", Token: "t"})
		assert.NoError(t, err, name)
		assert.Equal(t, c.want, strings.Join(server.asked, ", "))
	}
}

func TestNames(t *testing.T) {
	_, known := git.ByName("SVN")
	assert.False(t, known, "SVN is not a provider")
}

// The API URL of an account may contain the path, omit it, or be empty.
func TestAPIURL(t *testing.T) {
	for _, c := range []struct{ provider, given, want string }{
		{"GITHUB", "", "https://api.github.com"},
		{"GITHUB", "https://api.github.com", "https://api.github.com"},
		{"GITHUB", "https://github.com/", "https://api.github.com"},
		{"GITHUB", "https://github.example.com", "https://github.example.com/api/v3"},
		{"GITHUB", "https://github.example.com/", "https://github.example.com/api/v3"},
		{"GITHUB", "https://github.example.com/api/v3", "https://github.example.com/api/v3"},
		{"GITLAB", "", "https://gitlab.com/api/v4"},
		{"GITLAB", "https://gitlab.com", "https://gitlab.com/api/v4"},
		{"GITLAB", "https://gitlab.example.com:8443", "https://gitlab.example.com:8443/api/v4"},
		{"GITLAB", "https://example.com/gitlab/api/v4", "https://example.com/gitlab/api/v4"},
		{"BITBUCKET", "", "https://api.bitbucket.org/2.0"},
		{"BITBUCKET", "https://bitbucket.org", "https://api.bitbucket.org/2.0"},
		{"BITBUCKET", "https://api.bitbucket.org", "https://api.bitbucket.org/2.0"},
		{"BITBUCKET_SERVER", "https://git.example.com", "https://git.example.com"},
		{"BITBUCKET_SERVER", "https://git.example.com/rest/api/1.0", "https://git.example.com"},
		{"BITBUCKET_SERVER", "https://git.example.com/rest/api/latest/", "https://git.example.com"},
		{"BITBUCKET_SERVER", "https://example.com/bitbucket/rest/api/1.0", "https://example.com/bitbucket"},
		{"BITBUCKET_SERVER", "https://example.com/bitbucket/", "https://example.com/bitbucket"},
		{"GERRIT", "", ""},
		{"GERRIT", "https://gerrit.example.com", "https://gerrit.example.com"},
		{"GITLAB", "not a URL\x7f", "not a URL\x7f"},
	} {
		assert.Equal(t, c.want, git.APIURL(c.provider, c.given))
	}
}

// Bot users of project access tokens are rejected, those of group access tokens are not.
func TestGitLabBots(t *testing.T) {
	for name, project := range map[string]bool{
		"jane": false, "project_17_bot": true, "project_17_bot3": true, "project_17_bot_0123456789abcdef": true,
		"group_17_bot": false, "group_17_bot_0123456789abcdef": false, "project_manager": false,
	} {
		provider, _ := git.ByName("GITLAB")
		server := &script{replies: map[string]string{"/user": `{"username":"` + name + `"}`, "/personal_access_tokens/self": `{"scopes":["api"]}`}}
		token, err := provider(context.Background(), git.Server{URL: "https://git.test", HTTP: &http.Client{Transport: server}}, git.Credentials{})
		require.NoError(t, err, name)
		assert.Equal(t, project, token.Project, name)
	}
}

// The scope that grants read access to the account has old and new names.
func TestBitbucketAccountScopes(t *testing.T) {
	const others = "team, webhook, repository:write, repository:admin"
	for scopes, lacks := range map[string]int{
		others + ", account": 0, others + ", account:read": 0, others + ", account:write": 0,
		others + ", read:account": 0, others + ", read:user:bitbucket": 0, others: 1,
	} {
		provider, _ := git.ByName("BITBUCKET")
		server := &script{replies: map[string]string{"/user": "{}"}, headers: http.Header{"X-Oauth-Scopes": {scopes}}}
		token, err := provider(context.Background(), git.Server{URL: "https://git.test", HTTP: &http.Client{Transport: server}}, git.Credentials{})
		require.NoError(t, err, scopes)
		assert.Len(t, token.Lacks, lacks, scopes)
	}
}

func TestStatusError(t *testing.T) {
	provider, _ := git.ByName("GERRIT")
	_, err := provider(context.Background(), git.Server{URL: "https://git.test", HTTP: &http.Client{Transport: &script{}}}, git.Credentials{})
	var status *git.StatusError
	require.ErrorAs(t, err, &status)
	assert.False(t, status.Refused())
	assert.EqualError(t, status, "git.test answers HTTP 404")
}

// No response of a Git server makes a provider panic or hang.
func FuzzReply(f *testing.F) {
	bodies := []string{
		"{}", `{"username":"x","scopes":["api"],"expires_at":"2024-01-01"}`, `{"size":-1}`, ")]}'\n{\"_account_id\": 1}", "https://git.test/o/r.git?ref=x",
		`{"error":"insufficient_scope"}`, `{"type":"error","error":{"detail":{"granted":["account"]}}}`,
	}
	headers := []string{"repo, admin:repo_hook", ",,account", "", "2024-05-01 10:00:00 UTC"}
	mutated := testkit.Mutate(headers, 100)
	for _, name := range []string{"GITHUB", "GITLAB", "BITBUCKET", "BITBUCKET_SERVER", "GERRIT"} {
		for i, body := range append(bodies, testkit.Mutate(bodies, 150)...) {
			f.Add(name, []int{200, 403, 404}[i%3], body, mutated[i%100], mutated[(i*7)%100])
		}
	}
	f.Fuzz(func(t *testing.T, name string, status int, body, scopes, expiry string) {
		provider, known := git.ByName(name)
		if !known {
			return
		}
		headers := http.Header{"X-Oauth-Scopes": {scopes}, "X-Ausername": {scopes}, "Github-Authentication-Token-Expiration": {expiry}}
		client := &http.Client{Transport: fixed{status, body, headers}}
		token, err := provider(context.Background(), git.Server{URL: "https://git.test", Repository: body, HTTP: client}, git.Credentials{User: "u", Token: "canary-token"})
		assert.False(t, err != nil && strings.Contains(err.Error(), "canary-token"), "the error shows the token: %v, %v", token, err)
	})
}

type fixed struct {
	status  int
	body    string
	headers http.Header
}

func (f fixed) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: f.status, Header: f.headers, Body: io.NopCloser(strings.NewReader(f.body)), Request: r}, nil
}
