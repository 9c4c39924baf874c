package gitapi

import (
	"net/http"
	"slices"
	"time"
)

// gitlab responds like GitLab 15.5 and later.
type gitlab struct{}

func (gitlab) secret(r *http.Request) string { return r.Header.Get("PRIVATE-TOKEN") }

func (gitlab) serve(w http.ResponseWriter, path string, _ *http.Request, token Token) {
	w.Header().Set("X-Request-Id", "01")
	switch {
	case path == "/user" && !slices.Contains(token.Scopes, "api") && !slices.Contains(token.Scopes, "read_user") && !slices.Contains(token.Scopes, "read_api"):
		reply(w, http.StatusForbidden, object{
			"error": "insufficient_scope", "scope": "api read_api read_user",
			"error_description": "The request requires higher privileges than provided by the access token.",
		})
	case path == "/user":
		name := "robot"
		if token.Project {
			name = "project_17_bot_0123456789abcdef"
		}
		reply(w, http.StatusOK, object{"id": 1, "username": name, "state": "active", "bot": token.Project})
	case path == "/personal_access_tokens/self":
		var ends any
		if !token.Expires.IsZero() {
			ends = token.Expires.UTC().Format(time.DateOnly)
		}
		reply(w, http.StatusOK, object{"id": 7, "name": "runtime", "active": true, "revoked": false, "scopes": token.Scopes, "expires_at": ends})
	default:
		reply(w, http.StatusNotFound, object{"message": "404 Not Found"})
	}
}

func (gitlab) refuse(w http.ResponseWriter, token *Token) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="Protected by OAuth 2.0", error="invalid_token"`)
	if token != nil {
		reply(w, http.StatusUnauthorized, object{
			"error": "invalid_token", "error_description": "Token is expired. You can either do re-authorization or token refresh.",
		})
		return
	}
	reply(w, http.StatusUnauthorized, object{"message": "401 Unauthorized"})
}

func (gitlab) limited(w http.ResponseWriter) {
	for name, value := range map[string]string{"RateLimit-Limit": "60", "RateLimit-Remaining": "0", "RateLimit-Reset": "1768482000", "Retry-After": "30"} {
		w.Header().Set(name, value)
	}
	plain(w, http.StatusTooManyRequests, "Retry later\n")
}
