package platformapi

import (
	"encoding/json"
	"fmt"
	"net/http"

	"gitops-runtime/tests/standin/serve"
)

// rest adds the handlers of app-proxy's REST calls.
func (s *store) rest(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/ping", serve.Alive)
	mux.HandleFunc("POST /api/argo-runtime", s.asCaller(s.issueToken))
	mux.HandleFunc("GET /api/argo-runtime/{name}/storeKey", s.asCaller(s.storeKey))
}

// asCaller rejects requests without a known token.
func (s *store) asCaller(next func(http.ResponseWriter, *http.Request, caller)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		who, ok := s.caller(r.Header.Get("Authorization"))
		if !ok {
			serve.Failure(w, http.StatusUnauthorized, "the Authorization header holds no known token")
			return
		}
		next(w, r, who)
	}
}

// issueToken reads {name} and responds with {token}, the token of the runtime with that name.
func (s *store) issueToken(w http.ResponseWriter, r *http.Request, who caller) {
	var given map[string]any
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, bodyLimit)).Decode(&given); err != nil {
		serve.Failure(w, http.StatusBadRequest, "the body is not a JSON object")
		return
	}
	for field := range given {
		if field != "name" {
			serve.Failure(w, http.StatusBadRequest, fmt.Sprintf("the field %s is not one of this call: it takes name", field))
			return
		}
	}
	name, ok := given["name"].(string)
	if !ok || name == "" {
		serve.Failure(w, http.StatusBadRequest, "the field name is missing or is not a string")
		return
	}
	if runtime, ok := s.own(w, who, name); ok {
		serve.JSON(w, http.StatusOK, map[string]string{"token": runtime.Token})
	}
}

// storeKey responds with {storeKey}, which does not change while a runtime is registered.
func (s *store) storeKey(w http.ResponseWriter, r *http.Request, who caller) {
	if runtime, ok := s.own(w, who, r.PathValue("name")); ok {
		serve.JSON(w, http.StatusOK, map[string]string{"storeKey": "key-of-" + runtime.Account + "-" + runtime.Name})
	}
}

// own returns a runtime that the caller may act for: itself, or one of the account that a user administers.
func (s *store) own(w http.ResponseWriter, who caller, name string) (Runtime, bool) {
	runtime, known := s.runtime(who.account, name)
	switch {
	case !known:
		serve.Failure(w, http.StatusNotFound, fmt.Sprintf("the account has no runtime %q", name))
	case who.runtime != nil && who.runtime.Name != name, who.user != nil && !s.isAdmin(who):
		serve.Failure(w, http.StatusForbidden, fmt.Sprintf("the token may not act for the runtime %q", name))
	default:
		return runtime, true
	}
	return Runtime{}, false
}
