// Package server is a container registry that stores everything on disk, so that a restart loses nothing.
package server

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/registry"
)

// Handler is the registry's HTTP API, with its data in a directory that only one Handler may use.
type Handler struct {
	registry  http.Handler
	manifests manifests
}

// Open returns the registry of a directory, which is created if it is missing.
func Open(dir string) (*Handler, error) {
	blobs := filepath.Join(dir, "blobs")
	h := &Handler{manifests: manifests{dir: filepath.Join(dir, "manifests")}}
	for _, made := range []string{blobs, h.manifests.dir} {
		if err := os.MkdirAll(made, 0o755); err != nil {
			return nil, err
		}
	}
	h.registry = registry.New(
		registry.WithBlobHandler(registry.NewDiskBlobHandler(blobs)),
		registry.Logger(log.New(io.Discard, "", 0)),
	)
	kept, err := h.manifests.all()
	if err != nil {
		return nil, err
	}
	for _, m := range kept {
		if err := h.restore(m); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// ServeHTTP handles a request, and stores a manifest that the registry has accepted.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	repository, reference, isManifest := manifestPath(r.URL.Path)
	if !isManifest || (r.Method != http.MethodPut && r.Method != http.MethodDelete) {
		h.registry.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer := &answer{header: http.Header{}, status: http.StatusOK}
	h.registry.ServeHTTP(answer, r)
	if answer.status < http.StatusBadRequest {
		m := manifest{Repository: repository, Reference: reference, ContentType: r.Header.Get("Content-Type"), Body: body}
		if err := h.manifests.record(r.Method, m); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	answer.copyTo(w)
}

// restore loads a stored manifest into the registry.
func (h *Handler) restore(m manifest) error {
	path := "/v2/" + m.Repository + "/manifests/" + m.Reference
	request, err := http.NewRequest(http.MethodPut, path, bytes.NewReader(m.Body)) //nolint:noctx // no network
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", m.ContentType)
	answer := &answer{header: http.Header{}, status: http.StatusOK}
	h.registry.ServeHTTP(answer, request)
	if answer.status >= http.StatusBadRequest {
		return fmt.Errorf("the manifest of %s:%s on disk: %s", m.Repository, m.Reference, strings.TrimSpace(answer.body.String()))
	}
	return nil
}

// manifestPath parses "/v2/<repository>/manifests/<reference>".
func manifestPath(path string) (repository, reference string, found bool) {
	rest, found := strings.CutPrefix(path, "/v2/")
	if !found {
		return "", "", false
	}
	at := strings.LastIndex(rest, "/manifests/")
	if at < 1 {
		return "", "", false
	}
	return rest[:at], rest[at+len("/manifests/"):], true
}
