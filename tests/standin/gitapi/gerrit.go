package gitapi

import (
	"io"
	"net/http"
)

// gerrit responds like Gerrit: a line that is not JSON precedes the JSON.
type gerrit struct{}

func (gerrit) secret(r *http.Request) string { return basicSecret(r) }

func (gerrit) serve(w http.ResponseWriter, path string, _ *http.Request, _ Token) {
	if path != "/a/accounts/self" {
		plain(w, http.StatusNotFound, "Not Found")
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	_, _ = io.WriteString(w, ")]}'\n{\"_account_id\":1000001,\"name\":\"Robot\",\"username\":\"robot\"}\n")
}

func (gerrit) refuse(w http.ResponseWriter, _ *Token) {
	w.Header().Set("WWW-Authenticate", `Basic realm="Gerrit Code Review"`)
	plain(w, http.StatusUnauthorized, "Unauthorized")
}

func (gerrit) limited(w http.ResponseWriter) {
	plain(w, http.StatusTooManyRequests, "Too Many Requests")
}
