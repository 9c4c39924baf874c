package registry_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"gitops-runtime/internal/registry"
)

// answers sends the same response to every request except the ping.
type answers struct {
	status           int
	kind, link, body string
}

func (a answers) RoundTrip(request *http.Request) (*http.Response, error) {
	reply := &http.Response{StatusCode: a.status, Header: http.Header{"Content-Type": {a.kind}, "Link": {a.link}}, Body: io.NopCloser(strings.NewReader(a.body)), Request: request}
	if request.URL.Path == "/v2/" {
		reply.StatusCode, reply.Body = http.StatusOK, http.NoBody
	}
	return reply, nil
}

// A pull does not panic or hang for any response of a registry.
func FuzzReply(f *testing.F) {
	f.Add(200, "application/json", "", `{"name": "a", "tags": ["1.0.0", "latest", "v2"]}`)
	f.Add(200, "application/vnd.oci.image.manifest.v1+json", "", `{"schemaVersion": 2, "config": {"digest": "sha256:0"}, "layers": [{"mediaType": "application/vnd.cncf.helm.chart.content.v1.tar+gzip", "size": -1}]}`)
	f.Add(429, "text/plain", "</v2/a/tags/list?n=1>; rel=\"next\"", "slow down")
	f.Add(401, "application/json", "", `{"errors": [{"code": "UNAUTHORIZED", "message": "\u001b[31m"}]}`)
	f.Fuzz(func(t *testing.T, status int, kind, link, body string) {
		if status < 200 || status > 599 || strings.Contains(link, "next") && status == http.StatusOK {
			return // a client follows links until its deadline
		}
		access := registry.Access{Transport: answers{status, kind, link, body}, Pause: 1, Attempts: 1}
		for _, reference := range []string{"oci://reg.corp/a", "oci://reg.corp/a:1.0.0"} {
			_, _, _ = access.Chart(t.Context(), reference, "")
		}
	})
}
