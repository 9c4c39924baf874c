// Package gitserver is a read-only Git server over smart HTTP for repositories in memory, so that a cluster without access to a Git host has a source
// to sync from. It needs no git program: it implements version 0 of the protocol and always sends whole repositories, which suits repositories of a
// few files.
package gitserver

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"

	"gitops-runtime/tests/standin/serve"
)

// bodyLimit is the largest request body that is read, in bytes.
const bodyLimit = 1 << 20

// New returns a handler that serves repositories under /<name>, where names end with .git by convention. Tests change a file by PUT or DELETE of
// /test/<name>/<path of the file>; the response is the new commit's id.
func New(repositories map[string]*Repository) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", serve.Alive)
	found := func(handle func(http.ResponseWriter, *http.Request, *Repository)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			name := r.PathValue("name")
			repository, ok := repositories[name]
			if !ok {
				http.Error(w, fmt.Sprintf("there is no repository %q", name), http.StatusNotFound)
				return
			}
			handle(w, r, repository)
		}
	}
	mux.HandleFunc("GET /{name}/info/refs", found(advertise))
	mux.HandleFunc("POST /{name}/git-upload-pack", found(upload))
	mux.HandleFunc("PUT /test/{name}/{path...}", found(change))
	mux.HandleFunc("DELETE /test/{name}/{path...}", found(change))
	return mux
}

func advertise(w http.ResponseWriter, r *http.Request, repository *Repository) {
	if r.URL.Query().Get("service") != "git-upload-pack" {
		http.Error(w, "this server is read-only and speaks smart HTTP only", http.StatusForbidden)
		return
	}
	w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(repository.advertisement())
}

func upload(w http.ResponseWriter, r *http.Request, repository *Repository) {
	var body io.Reader = http.MaxBytesReader(w, r.Body, bodyLimit)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			http.Error(w, "the request's body is not gzip", http.StatusBadRequest)
			return
		}
		body = io.LimitReader(unpacked, bodyLimit)
	}
	request, err := readWants(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer, err := repository.upload(request)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(answer)
}

// change commits one file: the body of a PUT, or a deletion.
func change(w http.ResponseWriter, r *http.Request, repository *Repository) {
	content := []byte(nil)
	if r.Method == http.MethodPut {
		read, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyLimit))
		if err != nil {
			serve.Failure(w, http.StatusRequestEntityTooLarge, "the file is larger than 1 MiB or was cut off")
			return
		}
		content = append([]byte{}, read...)
	}
	path := r.PathValue("path")
	id, err := repository.Commit(r.Method+" "+path, map[string][]byte{path: content})
	if err != nil {
		serve.Failure(w, http.StatusBadRequest, err.Error())
		return
	}
	serve.JSON(w, http.StatusOK, map[string]string{"commit": id})
}
