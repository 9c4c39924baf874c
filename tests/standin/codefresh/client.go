// Package codefresh calls the platform like the runtime's programs: GraphQL, REST and events, with the token, without a scheme, in the header
// Authorization.
package codefresh

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"gitops-runtime/tests/standin/settings"
)

// GraphQLPath is the path of the platform's GraphQL API.
const GraphQLPath = "/2.0/api/graphql"

// answerLimit is the maximum number of bytes of a response that are read.
const answerLimit = 4 << 20

// Client calls a platform with one token.
type Client struct {
	URL   string // URL is the platform's URL, such as https://g.codefresh.io.
	Token settings.Secret
	HTTP  *http.Client
}

// Refused is an error that a retry would only repeat, such as an unknown token.
type Refused struct{ Reason string }

func (r Refused) Error() string { return r.Reason }

// With returns the client with another token.
func (c Client) With(token settings.Secret) Client {
	c.Token = token
	return c
}

// GraphQL sends a document with its variables, and decodes the field data of the response into answer.
func (c Client) GraphQL(ctx context.Context, document string, variables map[string]any, answer any) error {
	text, err := c.call(ctx, http.MethodPost, GraphQLPath, map[string]any{"query": document, "variables": variables})
	if err != nil {
		return err
	}
	var reply struct {
		Data   json.RawMessage `json:"data"`
		Errors []struct {
			Message    string `json:"message"`
			Extensions struct {
				Code string `json:"code"`
			} `json:"extensions"`
		} `json:"errors"`
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		return fmt.Errorf("the platform at %s did not answer in GraphQL: %w", c.URL, err)
	}
	if len(reply.Errors) == 0 {
		return json.Unmarshal(reply.Data, answer)
	}
	messages, refused := make([]string, len(reply.Errors)), false
	for i, failure := range reply.Errors {
		messages[i] = failure.Message
		refused = refused || final(failure.Extensions.Code)
	}
	sentence := "the platform at " + c.URL + " answered: " + strings.Join(messages, "; ")
	if refused {
		return Refused{Reason: sentence}
	}
	return errors.New(sentence)
}

// final reports whether a retry of an error with the code would only repeat it.
func final(code string) bool {
	return code == "FORBIDDEN" || code == "CONFLICT" || code == "UNAUTHENTICATED" || code == "GRAPHQL_VALIDATION_FAILED" || code == "BAD_REQUEST"
}

// Get decodes the JSON document at a path into answer.
func (c Client) Get(ctx context.Context, path string, answer any) error {
	return c.rest(ctx, http.MethodGet, path, nil, answer)
}

// Post sends body as JSON to a path, and decodes the JSON response into answer.
func (c Client) Post(ctx context.Context, path string, body, answer any) error {
	return c.rest(ctx, http.MethodPost, path, body, answer)
}

func (c Client) rest(ctx context.Context, method, path string, body, answer any) error {
	text, err := c.call(ctx, method, path, body)
	if err != nil || answer == nil {
		return err
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("the platform at %s%s did not answer in JSON: %w", c.URL, path, err)
	}
	return nil
}

// call sends a request and returns the body of the response. Its errors contain no token.
func (c Client) call(ctx context.Context, method, path string, body any) ([]byte, error) {
	var document []byte
	if body != nil {
		var err error
		if document, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("encoding a request: %w", err)
		}
	}
	address := strings.TrimRight(c.URL, "/") + path
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(document))
	if err != nil {
		return nil, Refused{Reason: fmt.Sprintf("the platform's URL %q is not a URL", c.URL)}
	}
	request.Header.Set("Authorization", string(c.Token))
	request.Header.Set("Content-Type", "application/json")
	response, err := c.HTTP.Do(request)
	if err != nil {
		return nil, fmt.Errorf("calling the platform: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, answerLimit))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the answer of the platform at %s: %w", address, err)
	case response.StatusCode == http.StatusUnauthorized:
		return nil, Refused{Reason: fmt.Sprintf("the platform at %s does not accept the token", address)}
	case response.StatusCode/100 != 2:
		return nil, fmt.Errorf("the platform at %s answered %s: %s", address, response.Status, shown(text))
	}
	return text, nil
}

// shown returns the start of a response, on one line.
func shown(text []byte) string {
	return strings.Join(strings.Fields(string(text[:min(len(text), 300)])), " ")
}
