package git_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"gitops-runtime/tests/mutate"
	"gitops-runtime/validator/git"
)

// script answers requests by path and remembers them.
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

// Which questions are asked, to whom, and how they are signed: GET requests to
// the account's API and nothing else.
func TestQuestions(t *testing.T) {
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
		if !known {
			t.Fatalf("%s is not known", name)
		}
		server := &script{replies: c.replies, headers: c.headers}
		_, err := provider(context.Background(), git.Server{
			URL: "https://git.test/api/", Repository: "https://git.test/o/r.git/folder?ref=main", HTTP: &http.Client{Transport: server},
		}, git.Credentials{User: "u", Token: "t"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := strings.Join(server.asked, ", "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	if _, known := git.ByName("SVN"); known {
		t.Error("SVN is no provider")
	}
	for name, want := range map[string]string{"GITHUB": "https://api.github.com", "GITLAB": "https://gitlab.com/api/v4", "BITBUCKET": "https://api.bitbucket.org/2.0", "GERRIT": ""} {
		if got := git.DefaultURL(name); got != want {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

func TestStatusError(t *testing.T) {
	provider, _ := git.ByName("GERRIT")
	_, err := provider(context.Background(), git.Server{URL: "https://git.test", HTTP: &http.Client{Transport: &script{}}}, git.Credentials{})
	var status *git.StatusError
	if !errors.As(err, &status) || status.Refused() || status.Error() != "git.test answers HTTP 404" {
		t.Errorf("got %v", err)
	}
}

// No reply of a Git server may make a provider panic or hang.
func FuzzReply(f *testing.F) {
	bodies := []string{
		"{}", `{"username":"x","scopes":["api"],"expires_at":"2024-01-01"}`, `{"size":-1}`, ")]}'\n{\"_account_id\": 1}", "https://git.test/o/r.git?ref=x",
		`{"error":"insufficient_scope"}`, `{"type":"error","error":{"detail":{"granted":["account"]}}}`,
	}
	headers := []string{"repo, admin:repo_hook", ",,account", "", "2024-05-01 10:00:00 UTC"}
	mutated := mutate.Texts(headers, 100)
	for _, name := range []string{"GITHUB", "GITLAB", "BITBUCKET", "BITBUCKET_SERVER", "GERRIT"} {
		for i, body := range append(bodies, mutate.Texts(bodies, 150)...) {
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
		if err != nil && strings.Contains(err.Error(), "canary-token") {
			t.Errorf("the error shows the token: %v, %v", token, err)
		}
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
