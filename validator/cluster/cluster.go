// Package cluster reads the objects that checks need from a Kubernetes API server, and deletes objects that an uninstall leaves. It decodes only the
// fields that are used, and connects as a pod does. It does not know kubeconfig files, which the package kubeconfig reads with client-go, nor what
// the responses mean.
package cluster

import (
	"bytes"
	"cmp"
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

// Client sends requests to one API server.
type Client struct {
	base string
	host string
	http *http.Client
}

// New returns a client for the API server at a URL. The HTTP client has to trust the server and to authenticate.
func New(address string, client *http.Client) (*Client, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" {
		return nil, fmt.Errorf("cluster address: %q is not a URL", address)
	}
	return &Client{base: strings.TrimRight(address, "/"), host: parsed.Host, http: client}, nil
}

// Error is a response without the requested object.
type Error struct {
	// Verb and Resource name the permission that the request needs.
	Verb, Resource string
	// Status is the HTTP status; 0 if there was no response.
	Status int
	// Message is the server's reason for a rejection, which may repeat parts of the request; Error omits it.
	Message string
	Err     error
}

// Error describes the request and its response.
func (e *Error) Error() string {
	if e.Status == 0 {
		return fmt.Sprintf("%s %s: %v", e.Verb, e.Resource, e.Err)
	}
	return fmt.Sprintf("%s %s: HTTP %d", e.Verb, e.Resource, e.Status)
}

// Unwrap returns the underlying error.
func (e *Error) Unwrap() error { return e.Err }

// NotFound reports whether an error means that an object does not exist.
func NotFound(err error) bool {
	var answer *Error
	return errors.As(err, &answer) && answer.Status == http.StatusNotFound
}

// Forbidden reports whether an error means that the permission for a request is missing.
func Forbidden(err error) bool {
	var answer *Error
	return errors.As(err, &answer) && (answer.Status == http.StatusForbidden || answer.Status == http.StatusUnauthorized)
}

// maxReply is the maximum size of a reply in bytes. Several are read at once, in a pod with 64 MiB.
const maxReply = 4 << 20

// question is one request and the permission that it needs.
type question struct {
	verb, resource string
	path           string
	query          url.Values
	body           any
	// method is GET if empty, and POST if there is a body.
	method string
	// accept and contentType are application/json if empty.
	accept, contentType string
}

// Media types that request only the metadata of a list of objects, or of one object.
const (
	metadataType    = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
	oneMetadataType = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
)

func (c *Client) ask(ctx context.Context, q question, into any) error {
	response, err := c.send(ctx, q)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return c.decode(response, q, into)
}

// send returns the response to a request; the caller closes its body.
func (c *Client) send(ctx context.Context, q question) (*http.Response, error) {
	method, body := http.MethodGet, io.Reader(nil)
	if q.body != nil {
		text, err := json.Marshal(q.body)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", q.verb, q.resource, err)
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
		return nil, fmt.Errorf("%s %s: %w", q.verb, q.resource, err)
	}
	request.Header.Set("Accept", cmp.Or(q.accept, "application/json"))
	if q.body != nil {
		request.Header.Set("Content-Type", cmp.Or(q.contentType, "application/json"))
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, &Error{Verb: q.verb, Resource: q.resource, Err: netfail.Classify(c.host, err)}
	}
	return response, nil
}

func (c *Client) decode(response *http.Response, q question, into any) error {
	reply, err := io.ReadAll(io.LimitReader(response.Body, maxReply+1))
	switch {
	case err != nil:
		return &Error{Verb: q.verb, Resource: q.resource, Err: netfail.Classify(c.host, err)}
	case len(reply) > maxReply:
		return &Error{Verb: q.verb, Resource: q.resource, Err: fmt.Errorf("the reply has more than %d MiB", maxReply>>20)}
	}
	if response.StatusCode >= 300 {
		var status struct {
			Message string `json:"message"`
		}
		_ = json.Unmarshal(reply, &status) // a proxy may send another body
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
