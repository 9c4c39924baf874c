package store

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
)

// bounded limits what a server sends: the client reads listings and errors whole, and every response to its end.
type bounded struct {
	next http.RoundTripper
	// pages and listed are the requests for listings, and the bytes of listings and errors that are left for the run.
	pages, listed atomic.Int64
}

const (
	maxPages  = 1000
	maxListed = 4 << 20 // bytes: about 10,000 archives
)

var (
	errListed  = errors.New("the folder has too many objects: use a folder of its own for archives")
	errArchive = errors.New("it is larger than any archive")
)

func newBounded(next http.RoundTripper) *bounded {
	b := &bounded{next: next}
	b.pages.Store(maxPages)
	b.listed.Store(maxListed)
	return b
}

// RoundTrip sends a request.
func (b *bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	listing := request.URL.RawQuery != ""
	if listing && b.pages.Add(-1) < 0 {
		return nil, errListed
	}
	response, err := b.next.RoundTrip(request)
	if err != nil {
		return nil, err //nolint:wrapcheck // a round tripper returns errors unchanged
	}
	body := &limited{ReadCloser: response.Body, left: &b.listed, err: errListed}
	if !listing && response.StatusCode < http.StatusMultipleChoices {
		body.left, body.err = new(atomic.Int64), errArchive
		body.left.Store(MaxArchive + 1)
	}
	response.Body = body
	return response, nil
}

// limited is a body that ends with an error when nothing is left.
type limited struct {
	io.ReadCloser
	left *atomic.Int64
	err  error
}

func (l *limited) Read(into []byte) (int, error) {
	n, err := l.ReadCloser.Read(into)
	if l.left.Add(-int64(n)) < 0 {
		return 0, l.err
	}
	return n, err //nolint:wrapcheck // io.EOF has to be returned unchanged
}
