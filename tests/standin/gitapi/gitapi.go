// Package gitapi is a stand-in for the APIs of Git providers: it responds to the requests of the validator with their status codes, headers and
// bodies, for valid, unknown and expired tokens with any scopes.
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
	// Kind is GITHUB, GITLAB, BITBUCKET, BITBUCKET_SERVER or GERRIT. Self-hosted servers differ only in Prefix.
	Kind string `json:"kind"`
	// Prefix is the path before the paths of the API, such as /api/v3.
	Prefix string  `json:"prefix"`
	Tokens []Token `json:"tokens"`
	// Repositories are the repositories, as owner/name, that tokens can access.
	Repositories []string `json:"repositories"`
	// Fault, if not 0, is the status of the provider's response to every request.
	Fault int `json:"fault"`
}

// Token is a token that the server knows.
type Token struct {
	Value string `json:"value"`
	// Scopes are the names of its scopes or permissions.
	Scopes []string `json:"scopes"`
	// FineGrained marks a fine-grained token of GitHub, which does not return scopes.
	FineGrained bool `json:"fineGrained"`
	// Project marks a token of a project instead of a person.
	Project bool `json:"project"`
	// Expired marks a token that the server rejects; Expires is the expiry date of a valid token.
	Expired bool      `json:"expired"`
	Expires time.Time `json:"expires"`
}

// Server is a handler for one provider.
type Server struct {
	options Options
	replies provider
}

// provider defines the responses of one kind of server.
type provider interface {
	// secret returns the token of a request.
	secret(r *http.Request) string
	// serve responds to an authenticated request; path has no prefix.
	serve(w http.ResponseWriter, path string, r *http.Request, token Token)
	// refuse responds to a request whose token is unknown or has expired.
	refuse(w http.ResponseWriter, token *Token)
	// limited responds to a request that exceeds the rate limit.
	limited(w http.ResponseWriter)
}

// New returns a server of a kind.
func New(options Options) (*Server, error) {
	replies, known := map[string]provider{
		"GITHUB": github{options}, "GITLAB": gitlab{}, "BITBUCKET": bitbucket{}, "BITBUCKET_SERVER": dataCenter{}, "GERRIT": gerrit{},
	}[options.Kind]
	if !known {
		return nil, fmt.Errorf("there is no Git provider %q", options.Kind)
	}
	return &Server{options, replies}, nil
}

// ServeHTTP responds like the provider.
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

// page responds like a proxy before the API, with HTML.
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

// basicSecret returns the password of a request with basic authentication.
func basicSecret(r *http.Request) string {
	_, password, _ := r.BasicAuth()
	return password
}

func bearerSecret(r *http.Request) string {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return token
}
