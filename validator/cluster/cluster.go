// Package cluster reads what the checks need from a Kubernetes API server, and
// deletes what an uninstall leaves. It decodes the few fields that are used, and
// connects as a pod does. It knows nothing of kubeconfig files, which the package
// kubeconfig reads with client-go, nor of what the answers mean.
package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"gitops-runtime/internal/netfail"
)

// Client talks to one API server.
type Client struct {
	base string
	host string
	http *http.Client
}

// New talks to the API server at an address through an HTTP client that trusts
// it and signs in to it.
func New(address string, client *http.Client) (*Client, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" {
		return nil, fmt.Errorf("cluster address: %q is not a URL", address)
	}
	return &Client{base: strings.TrimRight(address, "/"), host: parsed.Host, http: client}, nil
}

// Error is an answer without the object that was asked for.
type Error struct {
	// Verb and Resource name the right that the question needs.
	Verb, Resource string
	// Status is the HTTP status; 0 when there was no answer.
	Status int
	// Message is what the server says about a refusal, which may repeat parts of
	// what was sent; Error leaves it out.
	Message string
	Err     error
}

// Error says what was asked and what came back.
func (e *Error) Error() string {
	if e.Status == 0 {
		return fmt.Sprintf("%s %s: %v", e.Verb, e.Resource, e.Err)
	}
	return fmt.Sprintf("%s %s: HTTP %d", e.Verb, e.Resource, e.Status)
}

// Unwrap gives the underlying error.
func (e *Error) Unwrap() error { return e.Err }

// NotFound is true when the server answered that the object does not exist.
func (e *Error) NotFound() bool { return e.Status == http.StatusNotFound }

// Forbidden is true when the right to ask is missing.
func (e *Error) Forbidden() bool {
	return e.Status == http.StatusForbidden || e.Status == http.StatusUnauthorized
}

const maxReply = 32 << 20

// question is one request: what is asked, by which right.
type question struct {
	verb, resource string
	path           string
	query          url.Values
	body           any
	// method is GET, or POST with a body, when empty.
	method string
	// accept and contentType are application/json when empty.
	accept, contentType string
}

// These ask for the metadata of objects, or of one, in place of the whole.
const (
	metadataType    = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
	oneMetadataType = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
)

func (c *Client) ask(ctx context.Context, q question, into any) error {
	method, body := http.MethodGet, io.Reader(nil)
	if q.body != nil {
		text, err := json.Marshal(q.body)
		if err != nil {
			return fmt.Errorf("%s %s: %w", q.verb, q.resource, err)
		}
		method, body = http.MethodPost, bytes.NewReader(text)
	}
	if q.method != "" {
		method = q.method
	}
	address := c.base + q.path
	if len(q.query) > 0 {
		address += "?" + q.query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return fmt.Errorf("%s %s: %w", q.verb, q.resource, err)
	}
	request.Header.Set("Accept", cmp.Or(q.accept, "application/json"))
	if q.body != nil {
		request.Header.Set("Content-Type", cmp.Or(q.contentType, "application/json"))
	}
	response, err := c.http.Do(request)
	if err != nil {
		return &Error{Verb: q.verb, Resource: q.resource, Err: netfail.Classify(c.host, err)}
	}
	defer response.Body.Close()
	return c.decode(response, q, into)
}

func (c *Client) decode(response *http.Response, q question, into any) error {
	reply, err := io.ReadAll(io.LimitReader(response.Body, maxReply))
	if err != nil {
		return &Error{Verb: q.verb, Resource: q.resource, Err: netfail.Classify(c.host, err)}
	}
	if response.StatusCode >= 300 {
		var status struct {
			Message string `json:"message"`
		}
		_ = json.Unmarshal(reply, &status) // a proxy in between may answer otherwise
		return &Error{Verb: q.verb, Resource: q.resource, Status: response.StatusCode, Message: status.Message}
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(reply, into); err != nil {
		return &Error{Verb: q.verb, Resource: q.resource, Err: fmt.Errorf("the reply cannot be read: %w", err)}
	}
	return nil
}
