// Package git queries a Git provider about a token: whether it is valid, when it expires, and which permissions it lacks. It sends only GET requests,
// and only to the API of the account.
package git

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"gitops-runtime/internal/netfail"
)

// Credentials are what the runtime signs in with.
type Credentials struct {
	User, Token string
}

// Server is the API of a provider.
type Server struct {
	// URL is the API's address, such as https://api.github.com.
	URL string
	// Repository is the URL of the account's shared configuration repository.
	Repository string
	HTTP       *http.Client
}

// Token is what a provider returns about a token.
type Token struct {
	// Expires is the expiration time; the zero time if it is not known or the token does not expire.
	Expires time.Time
	// Lacks are the permissions that the runtime needs and the token does not have.
	Lacks []string
	// Unsure names what the provider does not reveal; "" if it reveals everything.
	Unsure string
	// Project is true for a token of a project in place of a person or a group.
	Project bool
}

// Provider queries one kind of server about a token.
type Provider func(ctx context.Context, server Server, credentials Credentials) (Token, error)

// ByName returns the provider with the platform's name for it.
func ByName(name string) (Provider, bool) {
	provider, known := map[string]Provider{
		"GITHUB": github, "GITLAB": gitlab, "BITBUCKET": bitbucketCloud,
		"BITBUCKET_SERVER": bitbucketDataCenter, "GERRIT": gerrit,
	}[name]
	return provider, known
}

// StatusError is a reply with another status than 200.
type StatusError struct {
	Host   string
	Status int
	body   []byte
}

// Error describes the response.
func (e *StatusError) Error() string { return fmt.Sprintf("%s answers HTTP %d", e.Host, e.Status) }

// Refused is true when the server does not know the token.
func (e *StatusError) Refused() bool { return e.Status == http.StatusUnauthorized }

// narrow reads the body of a 403, which some providers send for a token with too few scopes; false if the server returned something else.
func narrow(err error, into any) bool {
	var status *StatusError
	return errors.As(err, &status) && status.Status == http.StatusForbidden && json.Unmarshal(status.body, into) == nil
}

const maxReply = 1 << 20

// reply is a good answer.
type reply struct {
	header http.Header
	body   []byte
}

// get requests a path of the API. sign adds the credentials to the request.
func (s Server) get(ctx context.Context, path string, sign func(*http.Request)) (reply, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(s.URL, "/")+path, nil)
	if err != nil {
		return reply{}, fmt.Errorf("git API: %w", err)
	}
	request.Header.Set("Accept", "application/json")
	sign(request)
	response, err := s.HTTP.Do(request)
	if err != nil {
		return reply{}, netfail.Classify(request.URL.Host, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxReply))
	if err != nil {
		return reply{}, netfail.Classify(request.URL.Host, err)
	}
	if response.StatusCode != http.StatusOK {
		return reply{}, &StatusError{request.URL.Host, response.StatusCode, body}
	}
	// Gerrit adds a line before its JSON to keep browsers from executing it.
	body = bytes.TrimPrefix(body, []byte(")]}'"))
	if !json.Valid(body) {
		return reply{}, fmt.Errorf("%s answers with something else than its API (a sign-in page or a proxy, perhaps)", request.URL.Host)
	}
	return reply{response.Header, body}, nil
}

// decode reads a JSON answer.
func (r reply) decode(into any) error {
	if err := json.Unmarshal(r.body, into); err != nil {
		return fmt.Errorf("a reply of the API has another form: %w", err)
	}
	return nil
}

// bearer signs by an Authorization header.
func bearer(credentials Credentials) func(*http.Request) {
	return func(request *http.Request) { request.Header.Set("Authorization", "Bearer "+credentials.Token) }
}

// basic signs by user and password.
func basic(credentials Credentials) func(*http.Request) {
	return func(request *http.Request) { request.SetBasicAuth(credentials.User, credentials.Token) }
}

// scopes splits the list of a scopes header.
func scopes(header string) []string {
	var list []string
	for _, scope := range strings.Split(header, ",") {
		if scope = strings.TrimSpace(scope); scope != "" {
			list = append(list, scope)
		}
	}
	return list
}
