// Package apiserver is a small API server in memory, for tests of programs that read and write objects: it gets, lists, creates, merges and deletes objects of
// any kind that it was told, and answers discovery, logs and the ports of pods with texts.
package apiserver

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// Kind is a kind that the server serves.
type Kind struct {
	APIVersion, Kind, Plural string
	Namespaced               bool
}

// Server is an API server. Its fields are read under load: change them before requests, or by its methods.
type Server struct {
	Kinds []Kind
	// Texts are what paths such as those of logs answer, and Denied are parts of paths that get a status.
	Texts  map[string]string
	Denied map[string]int
	// Limited are parts of queries that get a status.
	Limited map[string]int
	// Now is the time of the header Date, which a zero time leaves out.
	Now time.Time
	// After, if not nil, is called after each change, with its method and the path of the object; it may stop a client.
	After func(method, path string)

	mu      sync.Mutex
	objects map[string]map[string]any
	// Writes are the requests that changed something, in order.
	Writes []string
	serial int
	reads  map[string]bool
}

// New returns an empty server.
func New(kinds ...Kind) *Server {
	return &Server{Kinds: kinds, Texts: map[string]string{}, Denied: map[string]int{}, Limited: map[string]int{}, Now: time.Now(), objects: map[string]map[string]any{}, reads: map[string]bool{}}
}

func root(apiVersion string) string {
	if strings.Contains(apiVersion, "/") {
		return "/apis/" + apiVersion
	}
	return "/api/" + apiVersion
}

// Path returns the API path of an object, and panics for a kind that the server does not serve.
func (s *Server) Path(object map[string]any) string {
	metadata, _ := object["metadata"].(map[string]any)
	for _, kind := range s.Kinds {
		if kind.APIVersion != object["apiVersion"] || kind.Kind != object["kind"] {
			continue
		}
		at := root(kind.APIVersion)
		if kind.Namespaced {
			at += fmt.Sprintf("/namespaces/%v", metadata["namespace"])
		}
		return fmt.Sprintf("%s/%s/%v", at, kind.Plural, metadata["name"])
	}
	panic(fmt.Sprintf("apiserver: no kind %v of %v", object["kind"], object["apiVersion"]))
}

// Add adds or replaces objects, which must not be changed afterwards.
func (s *Server) Add(objects ...map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, object := range objects {
		s.objects[s.Path(object)] = object
	}
}

// Remove removes the object at a path.
func (s *Server) Remove(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.objects, path)
}

// Object returns the object at a path, nil if there is none.
func (s *Server) Object(path string) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.objects[path] == nil {
		return nil
	}
	return copied(s.objects[path])
}

// Paths returns the paths of all objects, sorted.
func (s *Server) Paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.objects))
}

// Reads returns the paths that were read, sorted.
func (s *Server) Reads() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.reads))
}

func copied(object map[string]any) map[string]any {
	text, err := json.Marshal(object)
	if err != nil {
		panic(fmt.Sprintf("apiserver: an object cannot be copied: %v", err))
	}
	var made map[string]any
	_ = json.Unmarshal(text, &made) // what was marshaled
	return made
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header()["Date"] = nil
	if !s.Now.IsZero() {
		w.Header().Set("Date", s.Now.UTC().Format(http.TimeFormat))
	}
	for part, status := range s.Denied {
		if strings.Contains(r.URL.Path, part) {
			fail(w, status, "denied by the test")
			return
		}
	}
	for part, status := range s.Limited {
		if strings.Contains(r.URL.RawQuery, part) {
			fail(w, status, "denied by the test")
			return
		}
	}
	if r.Method == http.MethodGet {
		s.read(w, r)
		return
	}
	if at := s.write(w, r); at != "" && s.After != nil {
		s.After(r.Method, at)
	}
}

func (s *Server) read(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := r.URL.Path
	s.reads[at] = true
	if text, known := s.Texts[at]; known {
		_, _ = w.Write([]byte(text))
		return
	}
	if object := s.objects[at]; object != nil {
		reply(w, http.StatusOK, object)
		return
	}
	if at == "/version" {
		reply(w, http.StatusOK, map[string]any{"gitVersion": "v1.34.4"})
		return
	}
	var served []any
	for _, kind := range s.Kinds {
		switch {
		case root(kind.APIVersion) == at:
			served = append(served, map[string]any{"name": kind.Plural, "kind": kind.Kind, "namespaced": kind.Namespaced})
		case kind.Plural == path.Base(at) && strings.HasPrefix(at, root(kind.APIVersion)+"/"):
			reply(w, http.StatusOK, map[string]any{"items": s.list(at, kind, r)})
			return
		}
	}
	if served == nil {
		fail(w, http.StatusNotFound, "not found")
		return
	}
	reply(w, http.StatusOK, map[string]any{"resources": served})
}

// list returns the objects of a collection, of all namespaces if the path names none, that match the selectors.
func (s *Server) list(at string, kind Kind, r *http.Request) []any {
	items := []any{}
	for _, each := range slices.Sorted(maps.Keys(s.objects)) {
		object := s.objects[each]
		inside := path.Dir(each) == at || at == root(kind.APIVersion)+"/"+kind.Plural && path.Base(path.Dir(each)) == kind.Plural && strings.HasPrefix(each, root(kind.APIVersion)+"/")
		if inside && matches(object, r.URL.Query().Get("labelSelector"), r.URL.Query().Get("fieldSelector")) {
			items = append(items, object)
		}
	}
	return items
}

func matches(object map[string]any, labels, fields string) bool {
	metadata, _ := object["metadata"].(map[string]any)
	given, _ := metadata["labels"].(map[string]any)
	for each := range strings.SplitSeq(labels, ",") {
		key, value, equal := strings.Cut(each, "=")
		if _, has := given[key]; each != "" && (!has || equal && given[key] != value) {
			return false
		}
	}
	if kind, not := strings.CutPrefix(fields, "type!="); not && object["type"] == kind {
		return false
	}
	name, named := strings.CutPrefix(fields, "metadata.name=")
	return !named || metadata["name"] == name
}

// write changes an object and returns its path, "" if it was not changed.
func (s *Server) write(w http.ResponseWriter, r *http.Request) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var body map[string]any
	if r.Method != http.MethodDelete && json.NewDecoder(r.Body).Decode(&body) != nil {
		fail(w, http.StatusBadRequest, "the body is not JSON")
		return ""
	}
	at := r.URL.Path
	metadata, _ := body["metadata"].(map[string]any)
	switch {
	case r.Method == http.MethodPost && s.objects[fmt.Sprintf("%s/%v", at, metadata["name"])] != nil:
		fail(w, http.StatusConflict, "it exists already")
		return ""
	case r.Method == http.MethodPost:
		s.serial++
		metadata["uid"] = fmt.Sprintf("uid-%d", s.serial)
		at = fmt.Sprintf("%s/%v", at, metadata["name"])
		s.objects[at] = merged(nil, body) // without nulls
	case s.objects[at] == nil:
		fail(w, http.StatusNotFound, "not found")
		return ""
	case r.Method == http.MethodPatch:
		s.objects[at] = merged(s.objects[at], body)
	case r.Method == http.MethodDelete:
		delete(s.objects, at)
	}
	s.Writes = append(s.Writes, r.Method+" "+at)
	reply(w, http.StatusOK, body)
	return at
}

// merged applies a JSON merge patch, RFC 7386.
func merged(to, patch map[string]any) map[string]any {
	made := maps.Clone(to)
	if made == nil {
		made = map[string]any{}
	}
	for key, value := range patch {
		inner, isMap := value.(map[string]any)
		switch {
		case value == nil:
			delete(made, key)
		case isMap:
			below, _ := made[key].(map[string]any)
			made[key] = merged(below, inner)
		default:
			made[key] = value
		}
	}
	return made
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func fail(w http.ResponseWriter, status int, message string) {
	reply(w, status, map[string]any{"kind": "Status", "message": message, "code": status})
}
