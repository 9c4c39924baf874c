// Package platform is a small typed client of the control plane's GraphQL API. It does not interpret the responses.
package platform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"gitops-runtime/internal/netfail"
)

// User is the owner of a token, with the account that is active.
type User struct {
	ID            string   `json:"id"`
	Name          string   `json:"name"`
	ActiveAccount *Account `json:"activeAccount"`
}

// Account is an account of the platform.
type Account struct {
	ID               string   `json:"id"`
	Name             string   `json:"name"`
	GitProvider      string   `json:"gitProvider"`
	GitAPIURL        string   `json:"gitApiUrl"`
	SharedConfigRepo string   `json:"sharedConfigRepo"`
	Admins           []string `json:"admins"`
}

// Administers reports whether the user is an administrator of the active account.
func (u User) Administers() bool {
	if u.ActiveAccount == nil {
		return false
	}
	for _, admin := range u.ActiveAccount.Admins {
		if admin == u.ID {
			return true
		}
	}
	return false
}

// Runtime is a runtime that is registered in the account.
type Runtime struct {
	Metadata struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
	} `json:"metadata"`
	Cluster            string `json:"cluster"`
	IngressHost        string `json:"ingressHost"`
	InstallationStatus string `json:"installationStatus"`
}

// Client sends requests to one platform with one token.
type Client struct {
	// URL is the platform's address without the API's path.
	URL string
	// Token is sent unchanged in the Authorization header.
	Token string
	HTTP  *http.Client
}

// Kind is the kind of a response without data.
type Kind int

// The kinds of an Error.
const (
	// Unreachable means that there was no response; the wrapped netfail.Failure contains the stage.
	Unreachable Kind = iota
	// Refused is HTTP 401, or a GraphQL error with the code UNAUTHENTICATED.
	Refused
	// Unavailable is a response that allows no conclusion: 403, 429 or 5xx.
	Unavailable
	// Foreign is a response that does not come from a platform.
	Foreign
	// Rejected is a GraphQL error about the query itself.
	Rejected
)

// Error is a response without data. Its text contains no token.
type Error struct {
	Kind   Kind
	Host   string
	Status int
	Err    error
}

// Error describes the response.
func (e *Error) Error() string {
	if e.Err != nil {
		return e.Err.Error()
	}
	return fmt.Sprintf("%s answers HTTP %d", e.Host, e.Status)
}

// Unwrap returns the underlying error.
func (e *Error) Unwrap() error { return e.Err }

const (
	apiPath  = "/2.0/api/graphql"
	maxReply = 4 << 20
)

const meQuery = `query Me { me { id name activeAccount { id name gitProvider gitApiUrl sharedConfigRepo admins } } }`

const runtimeQuery = `query Runtime($name: String!) { runtime(name: $name) { metadata { name namespace } cluster ingressHost installationStatus } }`

// Me requests the owner of the token.
func (c *Client) Me(ctx context.Context) (*User, error) {
	var data struct {
		Me *User `json:"me"`
	}
	if err := c.ask(ctx, meQuery, nil, &data); err != nil {
		return nil, err
	}
	if data.Me == nil {
		return nil, &Error{Kind: Refused, Host: c.host(), Status: http.StatusOK, Err: errors.New("it knows no user for it")}
	}
	return data.Me, nil
}

// Runtime requests a runtime of the account by name; nil if there is none with that name.
func (c *Client) Runtime(ctx context.Context, name string) (*Runtime, error) {
	var data struct {
		Runtime *Runtime `json:"runtime"`
	}
	if err := c.ask(ctx, runtimeQuery, map[string]any{"name": name}, &data); err != nil {
		return nil, err
	}
	return data.Runtime, nil
}

// Amounts contains numbers that an account has, or may have; nil if a number is not known, or not limited.
type Amounts struct {
	Clusters     *int `json:"clusters"`
	Applications *int `json:"applications"`
}

// Limits are the usage and the limits of an account; nil without limits.
type Limits struct {
	Usage  *Amounts `json:"usage"`
	Limits *Amounts `json:"limits"`
}

const limitsQuery = `query LimitsStatus { limitsStatus { usage { clusters applications } limits { clusters applications } status } }`

// Limits requests the limits of the account; nil if it has none.
func (c *Client) Limits(ctx context.Context) (*Limits, error) {
	var data struct {
		Status *Limits `json:"limitsStatus"`
	}
	if err := c.ask(ctx, limitsQuery, nil, &data); err != nil {
		return nil, err
	}
	return data.Status, nil
}

const deleteMutation = `mutation Delete($name: String!) { deleteRuntime(name: $name) }`

// DeleteRuntime removes a runtime and its token from the account. An unknown name is not an error.
func (c *Client) DeleteRuntime(ctx context.Context, name string) error {
	var data struct {
		DeleteRuntime int `json:"deleteRuntime"`
	}
	return c.ask(ctx, deleteMutation, map[string]any{"name": name}, &data)
}

func (c *Client) host() string {
	if parsed, err := url.Parse(c.URL); err == nil {
		return parsed.Host
	}
	return c.URL
}

func (c *Client) ask(ctx context.Context, query string, variables map[string]any, data any) error {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return fmt.Errorf("query: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(c.URL, "/")+apiPath, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("request: %w", err)
	}
	request.Header.Set("Authorization", c.Token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	response, err := c.HTTP.Do(request)
	if err != nil {
		return &Error{Kind: Unreachable, Host: c.host(), Err: netfail.Classify(c.host(), err)}
	}
	defer response.Body.Close()
	reply, err := io.ReadAll(io.LimitReader(response.Body, maxReply))
	if err != nil {
		return &Error{Kind: Unreachable, Host: c.host(), Err: netfail.Classify(c.host(), err)}
	}
	return c.read(response, reply, data)
}
