// Package argocd calls the API of Argo CD: sessions, API keys of an account, and resources of an Application
// (server/session, server/account and server/application of its source).
package argocd

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"gitops-runtime/tests/standin/settings"
)

// Client calls the API of an Argo CD.
type Client struct {
	URL   string // URL has a scheme, and Argo CD's root path if it has one.
	Token settings.Secret
	HTTP  *http.Client
}

// New returns a client of an Argo CD in the cluster, at HOST:PORT[/PATH] or at a URL. It does not verify the certificate, which Argo
// CD generates for itself.
func New(address string, token settings.Secret) Client {
	if !strings.Contains(address, "://") {
		scheme := "http"
		if host, _, _ := strings.Cut(address, "/"); strings.HasSuffix(host, ":443") {
			scheme = "https"
		}
		address = scheme + "://" + address
	}
	transport := &http.Transport{
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: true}, //nolint:gosec // see above
		MaxIdleConnsPerHost: 8, IdleConnTimeout: 30 * time.Second,
	}
	return Client{URL: strings.TrimRight(address, "/"), Token: token, HTTP: &http.Client{Transport: transport, Timeout: 20 * time.Second}}
}

// StatusError is a response other than 200.
type StatusError struct {
	Code         int
	URL, Message string
}

func (s StatusError) Error() string {
	return fmt.Sprintf("Argo CD at %s answered %d: %s", s.URL, s.Code, s.Message)
}

// With returns the client with a token.
func (c Client) With(token settings.Secret) Client {
	c.Token = token
	return c
}

// SignIn returns the token of a new session.
func (c Client) SignIn(ctx context.Context, username string, password settings.Secret) (settings.Secret, error) {
	var session struct{ Token string }
	err := c.ask(ctx, http.MethodPost, "/api/v1/session", map[string]string{"username": username, "password": string(password)}, &session)
	return settings.Secret(session.Token), err
}

// User is the user that a token belongs to.
type User struct {
	LoggedIn bool   `json:"loggedIn"`
	Username string `json:"username"`
	Issuer   string `json:"iss,omitempty"`
}

// Who returns the user of the client's token; for an invalid token Argo CD returns a user who is not logged in.
func (c Client) Who(ctx context.Context) (User, error) {
	var user User
	return user, c.ask(ctx, http.MethodGet, "/api/v1/session/userinfo", nil, &user)
}

// Accepts returns nil if Argo CD accepts the client's token, otherwise the reason.
func (c Client) Accepts(ctx context.Context) error {
	user, err := c.Who(ctx)
	if err != nil {
		return err
	}
	if !user.LoggedIn {
		return fmt.Errorf("Argo CD at %s does not accept the token", c.URL) //nolint:staticcheck // a name
	}
	return nil
}

// APIKey returns a new API key of an account, which never expires.
func (c Client) APIKey(ctx context.Context, account string) (settings.Secret, error) {
	var made struct{ Token string }
	err := c.ask(ctx, http.MethodPost, "/api/v1/account/"+url.PathEscape(account)+"/token", map[string]any{"name": account}, &made)
	return settings.Secret(made.Token), err
}

// Resource is a resource that an Application manages; states are JSON, empty or "null" for none.
type Resource struct {
	Group       string `json:"group"`
	Kind        string `json:"kind"`
	Namespace   string `json:"namespace"`
	Name        string `json:"name"`
	TargetState string `json:"targetState"`
	LiveState   string `json:"liveState"`
}

// Managed returns the resources that an Application manages.
func (c Client) Managed(ctx context.Context, namespace, application string) ([]Resource, error) {
	var list struct {
		Items []Resource `json:"items"`
	}
	path := "/api/v1/applications/" + url.PathEscape(application) + "/managed-resources?appNamespace=" + url.QueryEscape(namespace)
	return list.Items, c.ask(ctx, http.MethodGet, path, nil, &list)
}

// ask sends a request and decodes the JSON response into answer. Its errors contain neither password nor token.
func (c Client) ask(ctx context.Context, method, path string, body, answer any) error {
	var document []byte
	if body != nil {
		var err error
		if document, err = json.Marshal(body); err != nil {
			return fmt.Errorf("encoding a request: %w", err)
		}
	}
	address := strings.TrimRight(c.URL, "/") + path
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(document))
	if err != nil {
		return fmt.Errorf("the URL of Argo CD %q is not a URL", c.URL)
	}
	request.Header.Set("Content-Type", "application/json")
	if c.Token != "" {
		request.Header.Set("Authorization", "Bearer "+string(c.Token))
	}
	response, err := c.HTTP.Do(request)
	if err != nil {
		return fmt.Errorf("calling Argo CD: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, 16<<20))
	if err != nil {
		return fmt.Errorf("reading the answer of Argo CD at %s: %w", address, err)
	}
	if response.StatusCode != http.StatusOK {
		return StatusError{Code: response.StatusCode, URL: address, Message: strings.Join(strings.Fields(string(text[:min(len(text), 300)])), " ")}
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("reading the answer of Argo CD at %s as JSON: %w", address, err)
	}
	return nil
}
