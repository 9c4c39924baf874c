// Package cluster reads what the checks need from a Kubernetes API server, and
// deletes what an uninstall leaves. It
// stands on client-go's connection settings alone and decodes the few fields
// that are used, which keeps the program a fraction of the typed client's size.
package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"gitops-runtime/internal/netfail"
)

// Client talks to one API server.
type Client struct {
	base string
	host string
	http *http.Client
}

// InCluster connects as the pod's service account.
func InCluster() (*Client, error) {
	config, err := rest.InClusterConfig()
	if err != nil {
		return nil, fmt.Errorf("this is no pod with a service account (%w); on a machine of yours run validate-values without hook", err)
	}
	return New(config)
}

// FromKubeconfig connects as kubectl would, by an explicit file or context
// where given. The namespace is the context's.
func FromKubeconfig(file, kubeContext string) (*Client, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = file
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: kubeContext})
	config, err := loader.ClientConfig()
	switch {
	case errors.Is(err, fs.ErrNotExist) && file != "":
		return nil, "", fmt.Errorf("kubeconfig %s: there is no such file", file)
	case err != nil && lacksContext(loader, kubeContext):
		return nil, "", fmt.Errorf("kubeconfig: there is no context %q; `kubectl config get-contexts` lists them", kubeContext)
	case err != nil:
		return nil, "", fmt.Errorf("kubeconfig: %w", err)
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, "", fmt.Errorf("kubeconfig: %w", err)
	}
	client, err := New(config)
	return client, namespace, err
}

// lacksContext is true for a context that was named and is not there.
func lacksContext(loader clientcmd.ClientConfig, name string) bool {
	raw, err := loader.RawConfig()
	return err == nil && name != "" && raw.Contexts[name] == nil
}

// New connects by client-go's settings.
func New(config *rest.Config) (*Client, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("cluster connection: %w", err)
	}
	address, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, fmt.Errorf("cluster address: %w", err)
	}
	return &Client{base: strings.TrimRight(address.String(), "/"), host: address.Host, http: client}, nil
}

// Error is an answer without the object that was asked for.
type Error struct {
	// Verb and Resource name the right that the question needs.
	Verb, Resource string
	// Status is the HTTP status; 0 when there was no answer.
	Status int
	Err    error
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
		return &Error{Verb: q.verb, Resource: q.resource, Status: response.StatusCode}
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(reply, into); err != nil {
		return &Error{Verb: q.verb, Resource: q.resource, Err: fmt.Errorf("the reply cannot be read: %w", err)}
	}
	return nil
}
