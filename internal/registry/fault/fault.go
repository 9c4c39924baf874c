// Package fault describes in one sentence what went wrong between a program and a registry, and how to fix it. The package netfail determines why a
// request got no response.
package fault

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"gitops-runtime/internal/netfail"
)

// UserError is an error with a message for users; Err is the underlying error.
type UserError struct {
	Message string
	Err     error
}

func (u *UserError) Error() string { return u.Message }

// Unwrap returns the underlying error.
func (u *UserError) Unwrap() error { return u.Err }

// Explain describes the failure of an operation on an image, such as "read" or "copy".
func Explain(doing, image string, err error) error {
	var explained *UserError
	if errors.As(err, &explained) {
		return explained
	}
	if errors.Is(err, context.Canceled) {
		return &UserError{fmt.Sprintf("%s %s was interrupted; run the command again to continue", doing, image), err}
	}
	host, _, _ := strings.Cut(image, "/")
	var answer *transport.Error
	if netfail.Classify(host, err).Untrusted || !errors.As(err, &answer) {
		return &UserError{fmt.Sprintf("%s %s failed: %s", doing, image, unanswered(host, err)), err}
	}
	if answer.Request != nil && answer.Request.URL != nil {
		host = answer.Request.URL.Host
	}
	return &UserError{fmt.Sprintf("%s %s failed: %s answers %d%s; %s", doing, image, host, answer.StatusCode, words(answer), advice(host, answer)), err}
}

// words returns the message of a registry's error, which supplements the status; "" if there is none.
func words(answer *transport.Error) string {
	for _, one := range answer.Errors {
		if one.Message != "" {
			return fmt.Sprintf(" (%s)", strings.ToLower(strings.Join(strings.Fields(one.Message), " ")))
		}
	}
	return ""
}

func advice(host string, answer *transport.Error) string {
	switch {
	case answer.StatusCode == http.StatusUnauthorized:
		return fmt.Sprintf("log in with `helm registry login %s` or `docker login %s`", host, host)
	case answer.StatusCode == http.StatusForbidden:
		return fmt.Sprintf("the account in use at %s lacks permission; use another one", host)
	case answer.StatusCode == http.StatusNotFound:
		return "check the name and the tag"
	case answer.StatusCode == http.StatusMethodNotAllowed:
		return fmt.Sprintf("%s takes no writes here, as a mirror does; name the registry that it mirrors", host)
	case answer.StatusCode == http.StatusTooManyRequests:
		return fmt.Sprintf("%s limits the rate of requests; log in, send fewer at a time, or run again later", host)
	case answer.StatusCode == http.StatusInsufficientStorage || strings.Contains(words(answer), "no space left"):
		return fmt.Sprintf("%s has no space left; free some space and run again", host)
	case answer.StatusCode >= http.StatusInternalServerError:
		return fmt.Sprintf("%s has an internal error; run again later", host)
	}
	return "run the command again to continue"
}

// unanswered describes why there was no response.
func unanswered(host string, err error) string {
	var request *url.Error
	if errors.As(err, &request) {
		if asked, err := url.Parse(request.URL); err == nil && asked.Host != "" {
			host = asked.Host
		}
	}
	failure := netfail.Classify(host, err)
	switch {
	case failure.Stage == netfail.DNS:
		return fmt.Sprintf("no address is known for %s; check the registry's name, or set its address with --reach", failure.Name())
	case failure.Closed():
		return fmt.Sprintf("%s dropped the connection; run the command again to continue", host)
	case failure.Untrusted:
		return fmt.Sprintf("the certificate of %s is not trusted (%s); set its certificate authority with --ca-file", host, distrust(failure))
	case failure.PlainHTTP():
		return fmt.Sprintf("%s uses plain HTTP; allow it with --plain-http %s", host, host)
	case failure.Refused():
		return fmt.Sprintf("%s refuses the connection; check that the registry runs, and run the command again to continue", host)
	case failure.Timeout:
		return fmt.Sprintf("%s does not answer in time; check the network, and run the command again to continue", host)
	}
	return fmt.Sprintf("%v; run the command again to continue", err)
}

// distrust returns why a certificate is not trusted, without guesses at the cause.
func distrust(failure *netfail.Failure) string {
	reason, _, _ := strings.Cut(failure.Reason(), " (possibly")
	return strings.TrimPrefix(reason, "x509: ")
}
