package gitapi

import (
	"net/http"
	"slices"
	"strings"
)

// github responds like GitHub and GitHub Enterprise.
type github struct{ options Options }

func (github) secret(r *http.Request) string { return bearerSecret(r) }

func (g github) serve(w http.ResponseWriter, path string, _ *http.Request, token Token) {
	header := w.Header()
	if !token.FineGrained {
		header.Set("X-OAuth-Scopes", strings.Join(token.Scopes, ", "))
		header.Set("X-Accepted-OAuth-Scopes", "")
	}
	if !token.Expires.IsZero() {
		header.Set("GitHub-Authentication-Token-Expiration", token.Expires.UTC().Format("2006-01-02 15:04:05 MST"))
	}
	rate(w, "5000", "4999")
	repository, asksRepository := strings.CutPrefix(path, "/repos/")
	switch {
	case path == "/user":
		reply(w, http.StatusOK, object{"login": "robot", "id": 1, "type": "User"})
	case asksRepository && slices.Contains(g.options.Repositories, repository):
		reply(w, http.StatusOK, object{"full_name": repository, "permissions": object{"admin": true, "push": true, "pull": true}})
	default:
		reply(w, http.StatusNotFound, object{"message": "Not Found", "documentation_url": "https://docs.github.com/rest", "status": "404"})
	}
}

// refuse sends the same response for an expired token: GitHub returns the expiry date only of valid tokens.
func (github) refuse(w http.ResponseWriter, _ *Token) {
	reply(w, http.StatusUnauthorized, object{"message": "Bad credentials", "documentation_url": "https://docs.github.com/rest", "status": "401"})
}

func (github) limited(w http.ResponseWriter) {
	rate(w, "5000", "0")
	w.Header().Set("Retry-After", "60")
	reply(w, http.StatusTooManyRequests, object{"message": "You have exceeded a secondary rate limit.", "documentation_url": "https://docs.github.com/rest"})
}

func rate(w http.ResponseWriter, limit, left string) {
	w.Header().Set("X-RateLimit-Limit", limit)
	w.Header().Set("X-RateLimit-Remaining", left)
	w.Header().Set("X-RateLimit-Reset", "1768482000")
}
