package registry

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// maxReply is the maximum number of bytes that a registry may return about itself and its images: manifests, lists of tags, tokens and errors, which
// are read into memory. The largest manifests that the specification allows have 4 MiB.
const maxReply = 8 << 20

// bounded aborts longer responses; blobs, which are streams, may have any size.
type bounded struct{ base http.RoundTripper }

// RoundTrip sends a request.
func (b bounded) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := b.base.RoundTrip(request)
	if err != nil || strings.Contains(request.URL.Path, "/blobs/") && response.StatusCode < http.StatusBadRequest {
		return response, err
	}
	response.Body = &boundedBody{ReadCloser: response.Body, left: maxReply, host: request.URL.Host}
	return response, nil
}

type boundedBody struct {
	io.ReadCloser
	left int64
	host string
}

func (b *boundedBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("%s sends more than %d MiB where a manifest or a list of tags was expected", b.host, maxReply>>20)
	}
	return n, err
}
