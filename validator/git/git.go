// Package git queries a Git provider for the properties of a token: whether it is valid, when it expires, and which permissions it lacks. It sends
// only GET requests, and only to the API of the account.
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

// Credentials are the user name and the token of the runtime.
type Credentials struct {
	User, Token string
}

// Server is the API of a provider.
type Server struct {
	// URL is the URL of the API, such as https://api.github.com.
	URL string
	// Repository is the URL of the account's shared configuration repository.
	Repository string
	HTTP       *http.Client
}

// Token contains the properties of a token that a provider returns.
type Token struct {
	// Expires is the expiration time; the zero time if it is not known or the token does not expire.
	Expires time.Time
	// Lacks are the permissions that the runtime needs and the token does not have.
	Lacks []string
	// Unsure describes which properties the provider does not return; "" if it returns all.
	Unsure string
	// Project is true for the token of a project, not of a person or a group.
	Project bool
}

// Provider queries one kind of server for the properties of a token.
type Provider func(ctx context.Context, server Server, credentials Credentials) (Token, error)

// ByName returns the provider with a name of the platform, and false for an unknown name.
func ByName(name string) (Provider, bool) {
	provider, known := map[string]Provider{
		"GITHUB": github, "GITLAB": gitlab, "BITBUCKET": bitbucketCloud,
		"BITBUCKET_SERVER": bitbucketDataCenter, "GERRIT": gerrit,
	}[name]
	return provider, known
}

// StatusError is a response with a status other than 200.
type StatusError struct {
	Host   string
	Status int
	body   []byte
}

// Error describes the response.
func (e *StatusError) Error() string { return fmt.Sprintf("%s answers HTTP %d", e.Host, e.Status) }

// Refused reports whether the server does not accept the token (HTTP 401).
func (e *StatusError) Refused() bool { return e.Status == http.StatusUnauthorized }

// decodeForbidden decodes the body of a 403, which some providers send for a token with too few scopes; false for any other error.
func decodeForbidden(err error, into any) bool {
	var status *StatusError
	return errors.As(err, &status) && status.Status == http.StatusForbidden && json.Unmarshal(status.body, into) == nil
}

const maxReply = 1 << 20

// reply is a response with the status 200 and a JSON body.
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

// decode decodes the JSON body.
func (r reply) decode(into any) error {
	if err := json.Unmarshal(r.body, into); err != nil {
		return fmt.Errorf("a reply of the API has another form: %w", err)
	}
	return nil
}

// bearer returns a function that adds the token to a request as a bearer token.
func bearer(credentials Credentials) func(*http.Request) {
	return func(request *http.Request) { request.Header.Set("Authorization", "Bearer "+credentials.Token) }
}

// basic returns a function that adds user and token to a request as basic authentication.
func basic(credentials Credentials) func(*http.Request) {
	return func(request *http.Request) { request.SetBasicAuth(credentials.User, credentials.Token) }
}

// scopes returns the entries of a comma-separated scopes header.
func scopes(header string) []string {
	var list []string
	for _, scope := range strings.Split(header, ",") {
		if scope = strings.TrimSpace(scope); scope != "" {
			list = append(list, scope)
		}
	}
	return list
}
