package platform

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// graphql is the envelope of every response.
type graphql struct {
	Data   json.RawMessage `json:"data"`
	Errors []struct {
		Extensions struct {
			Code string `json:"code"`
		} `json:"extensions"`
	} `json:"errors"`
}

// read classifies responses by status and structure. It never reads the text of an error, which may change and may repeat parts of the request.
func (c *Client) read(response *http.Response, reply []byte, data any) error {
	status := response.StatusCode
	switch {
	case status == http.StatusUnauthorized:
		return &Error{Kind: Refused, Host: c.host(), Status: status}
	case status == http.StatusForbidden, status == http.StatusTooManyRequests, status >= 500:
		return &Error{Kind: Unavailable, Host: c.host(), Status: status}
	}
	var envelope graphql
	if err := json.Unmarshal(reply, &envelope); err != nil {
		return c.foreign(status, "the reply is not JSON")
	}
	for _, problem := range envelope.Errors {
		if problem.Extensions.Code == "UNAUTHENTICATED" {
			return &Error{Kind: Refused, Host: c.host(), Status: status, Err: errors.New("GraphQL code UNAUTHENTICATED")}
		}
	}
	if len(envelope.Errors) > 0 {
		code := envelope.Errors[0].Extensions.Code
		if code == "" {
			code = "without a code"
		}
		return &Error{Kind: Rejected, Host: c.host(), Status: status, Err: fmt.Errorf("%s answers with a GraphQL error (%s)", c.host(), code)}
	}
	if status != http.StatusOK || len(envelope.Data) == 0 || string(envelope.Data) == "null" {
		return c.foreign(status, "the response contains no data")
	}
	if err := json.Unmarshal(envelope.Data, data); err != nil {
		return c.foreign(status, "the data has another form")
	}
	return nil
}

func (c *Client) foreign(status int, what string) error {
	return &Error{Kind: Foreign, Host: c.host(), Status: status, Err: fmt.Errorf("HTTP %d, %s", status, what)}
}
