// Package registrytest is an in-process registry for tests that keeps the blobs of its repositories separate, as real registries do, counts uploads, and
// can be made to fail.
package registrytest

import (
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
)

// Registry is a running registry.
type Registry struct {
	// Name is its host and port.
	Name string
	// CAFile is the authority that signed the certificate of a registry with TLS.
	CAFile string

	inner   http.Handler
	mu      sync.Mutex
	blobs   map[string]bool // "repository digest"
	uploads map[string]int
	fail    Fault
}

// Fault may respond to a request itself and then returns true.
type Fault func(http.ResponseWriter, *http.Request) bool

// Start starts a registry that stops at the end of the test.
func Start(t testing.TB) *Registry {
	t.Helper()
	r, server := unstarted(t)
	server.Start()
	r.Name = strings.TrimPrefix(server.URL, "http://")
	return r
}

// StartTLS starts a registry that accepts only TLS, with a certificate that is signed by an unknown authority.
func StartTLS(t testing.TB) *Registry {
	t.Helper()
	r, server := unstarted(t)
	var certificate tls.Certificate
	certificate, r.CAFile = signed(t)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	server.StartTLS()
	r.Name = strings.TrimPrefix(server.URL, "https://")
	return r
}

func unstarted(t testing.TB) (*Registry, *httptest.Server) {
	t.Helper()
	quiet := log.New(io.Discard, "", 0)
	r := &Registry{inner: registry.New(registry.Logger(quiet)), blobs: map[string]bool{}, uploads: map[string]int{}}
	server := httptest.NewUnstartedServer(r)
	server.Config.ErrorLog = quiet
	t.Cleanup(server.Close)
	return r, server
}

// Failing sets the fault of all further requests; nil removes it.
func (r *Registry) Failing(fail Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fail = fail
}

// Uploads returns the number of finished uploads by blob digest. A blob that was mounted from another repository was not uploaded.
func (r *Registry) Uploads() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make(map[string]int, len(r.uploads))
	for digest, count := range r.uploads {
		all[digest] = count
	}
	return all
}

// Twice returns the digests of the blobs that were uploaded more than once.
func (r *Registry) Twice() []string {
	var all []string
	for digest, count := range r.Uploads() {
		if count > 1 {
			all = append(all, digest)
		}
	}
	return all
}

// Lose removes all blobs; manifests remain.
func (r *Registry) Lose() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.blobs = map[string]bool{}
}

// ServeHTTP handles one request.
func (r *Registry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	fail := r.fail
	r.mu.Unlock()
	if fail != nil && fail(w, request) {
		return
	}
	repository, rest, isBlob := strings.Cut(strings.TrimPrefix(request.URL.Path, "/v2/"), "/blobs/")
	query := request.URL.Query()
	switch {
	case !isBlob:
	case request.Method == http.MethodPost && query.Get("mount") != "":
		if r.mount(query.Get("from"), repository, query.Get("mount")) {
			w.WriteHeader(http.StatusCreated)
			return
		}
		query.Del("mount")
		request.URL.RawQuery = query.Encode()
	case request.Method == http.MethodPut && query.Get("digest") != "":
		answer := &status{ResponseWriter: w}
		r.inner.ServeHTTP(answer, request)
		if answer.code == http.StatusCreated {
			r.finished(repository, query.Get("digest"))
		}
		return
	case (request.Method == http.MethodGet || request.Method == http.MethodHead) && !r.has(repository, rest):
		http.NotFound(w, request)
		return
	}
	r.inner.ServeHTTP(w, request)
}

func (r *Registry) has(repository, digest string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.blobs[repository+" "+digest]
}

func (r *Registry) mount(from, to, digest string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.blobs[from+" "+digest] {
		return false
	}
	r.blobs[to+" "+digest] = true
	return true
}

func (r *Registry) finished(repository, digest string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.blobs[repository+" "+digest] = true
	r.uploads[digest]++
}

// status records the status code of a response.
type status struct {
	http.ResponseWriter
	code int
}

func (s *status) WriteHeader(code int) {
	s.code = code
	s.ResponseWriter.WriteHeader(code)
}
