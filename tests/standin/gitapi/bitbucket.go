package gitapi

import (
	"net/http"
	"slices"
	"strings"
)

// bitbucket responds like Bitbucket Cloud.
type bitbucket struct{}

func (bitbucket) secret(r *http.Request) string { return basicSecret(r) }

func (bitbucket) serve(w http.ResponseWriter, path string, _ *http.Request, token Token) {
	w.Header().Set("X-OAuth-Scopes", strings.Join(token.Scopes, ", "))
	w.Header().Set("X-Accepted-OAuth-Scopes", "account")
	may := slices.ContainsFunc(token.Scopes, func(scope string) bool {
		return scope == "account" || scope == "account:write" || scope == "read:user:bitbucket"
	})
	switch {
	case path == "/user" && !may:
		bitbucketError(w, http.StatusForbidden, "Your credentials lack one or more required privilege scopes.",
			object{"granted": token.Scopes, "required": []string{"account"}})
	case path == "/user":
		reply(w, http.StatusOK, object{"type": "user", "username": "robot", "account_id": "1"})
	default:
		bitbucketError(w, http.StatusNotFound, "Resource not found", nil)
	}
}

func (bitbucket) refuse(w http.ResponseWriter, _ *Token) {
	w.Header().Set("WWW-Authenticate", `Basic realm="Bitbucket.org HTTP"`)
	plain(w, http.StatusUnauthorized, "")
}

func (bitbucket) limited(w http.ResponseWriter) {
	bitbucketError(w, http.StatusTooManyRequests, "Rate limit for this resource has been exceeded", nil)
}

func bitbucketError(w http.ResponseWriter, status int, message string, detail object) {
	flaw := object{"message": message}
	if detail != nil {
		flaw["detail"] = detail
	}
	reply(w, status, object{"type": "error", "error": flaw})
}

// dataCenter responds like Bitbucket Data Center. Scopes are the permissions of the token: PROJECT_ADMIN, REPO_ADMIN.
type dataCenter struct{}

func (dataCenter) secret(r *http.Request) string { return bearerSecret(r) }

func (dataCenter) serve(w http.ResponseWriter, path string, r *http.Request, token Token) {
	w.Header().Set("X-AREQUESTID", "@1")
	w.Header().Set("X-AUSERID", "1")
	w.Header().Set("X-AUSERNAME", "robot")
	const api = "/rest/api/latest"
	switch path {
	case api + "/application-properties":
		reply(w, http.StatusOK, object{"version": "8.19.1", "buildNumber": "8019001", "displayName": "Bitbucket"})
	case api + "/projects", api + "/repos":
		list := []object{}
		if slices.Contains(token.Scopes, r.URL.Query().Get("permission")) {
			list = append(list, object{"key": "PRJ", "id": 1})
		}
		reply(w, http.StatusOK, object{"size": len(list), "limit": 1, "start": 0, "isLastPage": true, "values": list})
	default:
		dataCenterError(w, http.StatusNotFound, "null for uri: "+path, "com.sun.jersey.api.NotFoundException")
	}
}

func (dataCenter) refuse(w http.ResponseWriter, _ *Token) {
	w.Header().Set("WWW-Authenticate", `Basic realm="Atlassian Bitbucket"`)
	dataCenterError(w, http.StatusUnauthorized, "Authentication failed. Please check your credentials and try again.",
		"com.atlassian.bitbucket.auth.IncorrectPasswordAuthenticationException")
}

func (dataCenter) limited(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	dataCenterError(w, http.StatusTooManyRequests, "You are sending too many requests.", "com.atlassian.stash.internal.ratelimit.RateLimitedException")
}

func dataCenterError(w http.ResponseWriter, status int, message, exception string) {
	reply(w, status, object{"errors": []object{{"context": nil, "message": message, "exceptionName": exception}}})
}
