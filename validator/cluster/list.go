package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"gitops-runtime/internal/netfail"
)

// List reads the objects of the collection at an API path, in JSON. The query selects them, as in fieldSelector=type!=helm.sh/release.v1; its limit is the
// number of objects in one reply.
func (c *Client) List(ctx context.Context, collection string, query url.Values) ([]json.RawMessage, error) {
	return listOf[json.RawMessage](ctx, c, question{verb: "list", resource: resourceOf(collection), path: collection, query: query})
}

// Text reads what an API path answers in another format than JSON, such as a log, at most limit bytes of it. The resource names the permission that it
// needs, as in pods/log.
func (c *Client) Text(ctx context.Context, resource, path string, query url.Values, limit int64) ([]byte, error) {
	q := question{verb: "get", resource: resource, path: path, query: query, accept: "*/*"}
	response, err := c.send(ctx, q)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusMultipleChoices {
		return nil, c.decode(response, q, nil)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, limit))
	if err != nil {
		return nil, &Error{Verb: q.verb, Resource: q.resource, Err: netfail.Classify(c.host, err)}
	}
	return text, nil
}

// Clock returns the time of the API server, in seconds, from the header Date of a response.
func (c *Client) Clock(ctx context.Context) (time.Time, error) {
	response, err := c.send(ctx, question{verb: "get", resource: "the server version", path: "/version"})
	if err != nil {
		return time.Time{}, err
	}
	defer response.Body.Close()
	at, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		return time.Time{}, errors.New("the responses of the API server have no header Date")
	}
	return at, nil
}
