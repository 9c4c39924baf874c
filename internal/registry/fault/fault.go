// Package fault tells in one sentence what went wrong between this program and
// a registry, and what helps.
package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"

	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// Sentence is an error told in one sentence; what the libraries said is below.
type Sentence struct {
	Text  string
	Below error
}

func (s *Sentence) Error() string { return s.Text }

// Unwrap is what the libraries said.
func (s *Sentence) Unwrap() error { return s.Below }

// Explain says what went wrong when something was done with an image, such as
// "read" or "copy".
func Explain(doing, image string, err error) error {
	var told *Sentence
	if errors.As(err, &told) {
		return told
	}
	if errors.Is(err, context.Canceled) {
		return &Sentence{fmt.Sprintf("%s %s was interrupted; run the command again to go on", doing, image), err}
	}
	host, _, _ := strings.Cut(image, "/")
	var answer *transport.Error
	if distrust(err) != "" || !errors.As(err, &answer) {
		return &Sentence{fmt.Sprintf("%s %s failed: %s", doing, image, unanswered(host, err)), err}
	}
	if answer.Request != nil && answer.Request.URL != nil {
		host = answer.Request.URL.Host
	}
	return &Sentence{fmt.Sprintf("%s %s failed: %s answers %d%s; %s", doing, image, host, answer.StatusCode, words(answer), advice(host, answer)), err}
}

// words are what a registry says beside its status, if it says anything.
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
		return fmt.Sprintf("the account in use at %s may not do this; use another one", host)
	case answer.StatusCode == http.StatusNotFound:
		return "check the name and the tag"
	case answer.StatusCode == http.StatusTooManyRequests:
		return fmt.Sprintf("%s limits requests; log in, ask less at a time, or run again later", host)
	case answer.StatusCode == http.StatusInsufficientStorage || strings.Contains(words(answer), "no space left"):
		return fmt.Sprintf("%s has no room left; make room and run again", host)
	case answer.StatusCode >= http.StatusInternalServerError:
		return fmt.Sprintf("%s is in trouble; run again later", host)
	}
	return "run the command again to go on"
}

// distrust is why the certificate of a registry is not trusted, "" for any other
// error. A registry on this machine may have been asked without TLS since then.
func distrust(err error) string {
	_, reason, found := strings.Cut(err.Error(), "x509: ")
	if !found {
		return ""
	}
	reason, _, _ = strings.Cut(reason, "; ")
	reason, _, _ = strings.Cut(reason, " (possibly")
	return reason
}

// unanswered says why there was no answer at all.
func unanswered(host string, err error) string {
	var request *url.Error
	if errors.As(err, &request) {
		if asked, err := url.Parse(request.URL); err == nil && asked.Host != "" {
			host = asked.Host
		}
	}
	var name *net.DNSError
	text := err.Error()
	switch {
	case errors.As(err, &name):
		return fmt.Sprintf("no address is known of %s; check the registry's name, or say with --reach where it is", name.Name)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return fmt.Sprintf("%s dropped the connection; run the command again to go on", host)
	case distrust(err) != "":
		return fmt.Sprintf("the certificate of %s is not trusted (%s); give its authority with --ca-file", host, distrust(err))
	case strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return fmt.Sprintf("%s speaks plain HTTP; allow it with --plain-http %s", host, host)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("%s refuses the connection; check that the registry runs, and run the command again to go on", host)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("%s does not answer in time; check the network, and run the command again to go on", host)
	}
	return fmt.Sprintf("%v; run the command again to go on", err)
}
