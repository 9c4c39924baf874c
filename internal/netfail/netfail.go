// Package netfail determines at which stage a network request failed, by the structure of the error and never by its text. It does not know what was
// requested, nor what a user should do.
package netfail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
)

// Stage is the stage that a request reached.
type Stage string

// The stages in the order in which a request passes them.
const (
	DNS  Stage = "DNS"
	TCP  Stage = "TCP"
	TLS  Stage = "TLS"
	HTTP Stage = "HTTP"
)

// Failure is the error of a request without a response.
type Failure struct {
	Stage Stage
	// Host is the host that the request was sent to, with its port if there was one.
	Host string
	// Timeout is true if the time ran out, which allows no conclusion about the host.
	Timeout bool
	// Untrusted is true if the server's certificate was rejected.
	Untrusted bool
	Err       error
}

// Error returns the stage, the host and the reason.
func (f *Failure) Error() string {
	return string(f.Stage) + " " + f.Host + ": " + f.Reason()
}

// Unwrap returns the underlying error.
func (f *Failure) Unwrap() error { return f.Err }

// Name returns the host name that has no address, for a failure at the stage DNS.
func (f *Failure) Name() string {
	var unknown *net.DNSError
	if errors.As(f.Err, &unknown) {
		return unknown.Name
	}
	return f.Host
}

// Closed reports whether the peer closed the connection.
func (f *Failure) Closed() bool {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(f.Err, end) {
			return true
		}
	}
	return false
}

// Refused reports whether nothing listens at the address.
func (f *Failure) Refused() bool { return errors.Is(f.Err, syscall.ECONNREFUSED) }

// PlainHTTP reports whether a server responded to a TLS handshake without TLS.
func (f *Failure) PlainHTTP() bool { return errors.Is(f.Err, http.ErrSchemeMismatch) }

// Reason returns the cause in a few words, identical on every run: without addresses, local ports, or durations.
func (f *Failure) Reason() string {
	var operation *net.OpError
	var unknown *net.DNSError
	switch {
	case f.Timeout:
		return "no answer in time"
	case errors.As(f.Err, &unknown) && unknown.IsNotFound:
		return "no such host"
	case f.Closed():
		return "the connection was closed"
	case errors.As(f.Err, &operation) && operation.Err != nil && f.Stage == TCP:
		return innermost(operation.Err).Error()
	}
	return strings.TrimPrefix(innermost(f.Err).Error(), "tls: ")
}

func innermost(err error) error {
	var verification *tls.CertificateVerificationError
	if errors.As(err, &verification) {
		return verification.Err
	}
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// Classify turns the error of an http.Client into a Failure; nil stays nil.
func Classify(host string, err error) *Failure {
	if err == nil {
		return nil
	}
	failure := &Failure{Stage: HTTP, Host: host, Err: err}
	var timeout interface{ Timeout() bool }
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		failure.Timeout = true
	}
	failure.Stage, failure.Untrusted = stage(err)
	return failure
}

func stage(err error) (at Stage, untrusted bool) {
	var unknown *net.DNSError
	var operation *net.OpError
	var record tls.RecordHeaderError
	var verification *tls.CertificateVerificationError
	var alert tls.AlertError
	var known *reached
	var authority x509.UnknownAuthorityError
	switch {
	case errors.As(err, &unknown):
		return DNS, false
	case errors.As(err, &verification), errors.As(err, &authority):
		return TLS, true
	case errors.As(err, &known):
		return known.stage, false
	case errors.As(err, &record), errors.As(err, &alert):
		return TLS, false
	case errors.Is(err, http.ErrSchemeMismatch):
		return TLS, false
	case errors.As(err, &operation) && operation.Op == "dial", errors.As(err, &operation) && operation.Op == "proxyconnect":
		return TCP, false
	case errors.As(err, &operation) && operation.Op == "remote error":
		return TLS, false
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) && strings.HasPrefix(wrapped.Err.Error(), "tls:") {
		return TLS, false
	}
	return HTTP, false
}
