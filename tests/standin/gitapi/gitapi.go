// Package gitapi stands in for the APIs of Git providers: it replies to the
// requests of the validator as they do, with their status codes, headers and
// bodies, for tokens of every condition.
package gitapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Options describe a server.
type Options struct {
	// Kind is GITHUB, GITLAB, BITBUCKET, BITBUCKET_SERVER or GERRIT. Their
	// servers for own premises differ by Prefix alone.
	Kind string `json:"kind"`
	// Prefix is the path before the API's own, such as /api/v3.
	Prefix string  `json:"prefix"`
	Tokens []Token `json:"tokens"`
	// Repositories are the owner/name that tokens reach.
	Repositories []string `json:"repositories"`
	// Fault replies to every request with this status, as the provider does.
	Fault int `json:"fault"`
}

// Token is one that the server knows.
type Token struct {
	Value string `json:"value"`
	// Scopes are what it may do: names of scopes, or of permissions.
	Scopes []string `json:"scopes"`
	// FineGrained is one of GitHub's that tells no scopes.
	FineGrained bool `json:"fineGrained"`
	// Project is one that belongs to a project and not to a person.
	Project bool `json:"project"`
	// Expired is one that the server does not take any more; Expires is the
	// end of one that it still takes.
	Expired bool      `json:"expired"`
	Expires time.Time `json:"expires"`
}

// Server is a handler for one provider.
type Server struct {
	options Options
	replies provider
}

// provider is how one kind of server replies.
type provider interface {
	// secret is the token that a request carries.
	secret(r *http.Request) string
	// serve answers a request that is signed in; path has no prefix.
	serve(w http.ResponseWriter, path string, r *http.Request, token Token)
	// refuse answers a request whose token is unknown or has expired.
	refuse(w http.ResponseWriter, token *Token)
	// limited answers when there were too many requests.
	limited(w http.ResponseWriter)
}

// New makes a server of a kind.
func New(options Options) (*Server, error) {
	replies, known := map[string]provider{
		"GITHUB": github{options}, "GITLAB": gitlab{}, "BITBUCKET": bitbucket{}, "BITBUCKET_SERVER": dataCenter{}, "GERRIT": gerrit{},
	}[options.Kind]
	if !known {
		return nil, fmt.Errorf("there is no Git provider %q", options.Kind)
	}
	return &Server{options, replies}, nil
}

// ServeHTTP replies as the provider does.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, inside := strings.CutPrefix(r.URL.Path, s.options.Prefix)
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		page(w, http.StatusMethodNotAllowed, "Method Not Allowed")
		return
	case s.options.Fault == http.StatusTooManyRequests:
		s.replies.limited(w)
		return
	case s.options.Fault != 0:
		page(w, s.options.Fault, http.StatusText(s.options.Fault))
		return
	case !inside:
		page(w, http.StatusNotFound, "Not Found")
		return
	}
	secret := s.replies.secret(r)
	at := slices.IndexFunc(s.options.Tokens, func(token Token) bool { return token.Value == secret })
	if secret == "" || at < 0 {
		s.replies.refuse(w, nil)
		return
	}
	if token := s.options.Tokens[at]; token.Expired {
		s.replies.refuse(w, &token)
		return
	}
	s.replies.serve(w, path, r, s.options.Tokens[at])
}

// page is what a proxy before the API replies: HTML.
func page(w http.ResponseWriter, status int, title string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<html><head><title>%d %s</title></head><body><h1>%s</h1></body></html>\n", status, title, title)
}

func reply(w http.ResponseWriter, status int, body any) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}

type object = map[string]any

// basicSecret is the password of a request that is signed by user and password.
func basicSecret(r *http.Request) string {
	_, password, _ := r.BasicAuth()
	return password
}

func bearerSecret(r *http.Request) string {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return token
}
