// Package argocdtest provides a server for tests that responds like the API of Argo CD: sessions, API keys, and resources.
package argocdtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"gitops-runtime/tests/standin/argocd"
)

// Server is an Argo CD with the account admin, whose password is "right", under the root path /root.
type Server struct {
	*httptest.Server
	mu        sync.Mutex
	keys      map[string]bool
	resources map[string][]argocd.Resource
	issued    int
}

// Start starts a server; the caller closes it.
func Start() *Server {
	s := &Server{keys: map[string]bool{}, resources: map[string][]argocd.Resource{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /root/api/v1/session", s.session)
	mux.HandleFunc("GET /root/api/v1/session/userinfo", s.user)
	mux.HandleFunc("POST /root/api/v1/account/admin/token", s.key)
	mux.HandleFunc("GET /root/api/v1/applications/{name}/managed-resources", s.managed)
	s.Server = httptest.NewServer(mux)
	return s
}

// Address returns the address for clients: HOST:PORT with the root path.
func (s *Server) Address() string { return strings.TrimPrefix(s.URL, "http://") + "/root" }

// Accept makes a token valid.
func (s *Server) Accept(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys[token] = true
}

// RevokeAll makes every token invalid.
func (s *Server) RevokeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = map[string]bool{}
}

// Manage sets the resources that an Application manages.
func (s *Server) Manage(application string, resources ...argocd.Resource) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resources[application] = resources
}

func (s *Server) session(w http.ResponseWriter, r *http.Request) {
	var login struct{ Username, Password string }
	if json.NewDecoder(r.Body).Decode(&login) != nil || login.Username != "admin" || login.Password != "right" {
		refuse(w)
		return
	}
	s.Accept("session")
	_, _ = w.Write([]byte(`{"token":"session"}`))
}

func (s *Server) user(w http.ResponseWriter, r *http.Request) {
	if !s.knows(r) {
		_, _ = w.Write([]byte(`{}`)) // Argo CD responds without authentication
		return
	}
	_, _ = w.Write([]byte(`{"loggedIn":true,"username":"admin"}`))
}

func (s *Server) key(w http.ResponseWriter, r *http.Request) {
	if !s.knows(r) {
		refuse(w)
		return
	}
	var wanted struct {
		Name, ID  string
		ExpiresIn int64 // Argo CD accepts only a number
	}
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil || wanted.Name != "admin" {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":"%v"}`, err)
		return
	}
	s.mu.Lock()
	s.issued++
	key := fmt.Sprintf("key-%d", s.issued)
	s.mu.Unlock()
	s.Accept(key)
	fmt.Fprintf(w, `{"token":%q}`, key)
}

func (s *Server) managed(w http.ResponseWriter, r *http.Request) {
	if !s.knows(r) {
		refuse(w)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = json.NewEncoder(w).Encode(map[string]any{"items": s.resources[r.PathValue("name")]})
}

func (s *Server) knows(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keys[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]
}

func refuse(w http.ResponseWriter) {
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = w.Write([]byte(`{"error":"Invalid username or password","code":16}`))
}
