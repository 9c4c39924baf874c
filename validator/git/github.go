package git

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// finegrained is the value of Unsure for a fine-grained token: the permissions on repositories that it needs.
const finegrained = "a fine-grained token does not reveal its permissions; it needs write access to administration, commit statuses, contents, pull requests and webhooks"

// github queries GitHub and GitHub Enterprise. A classic token returns its scopes with every response; a fine-grained one does not, so only its access
// to the shared configuration repository can be checked.
func github(ctx context.Context, server Server, credentials Credentials) (Token, error) {
	answer, err := server.get(ctx, "/user", bearer(credentials))
	if err != nil {
		return Token{}, err
	}
	token := Token{Expires: githubTime(answer.header.Get("GitHub-Authentication-Token-Expiration"))}
	if _, classic := answer.header["X-Oauth-Scopes"]; classic {
		has := scopes(answer.header.Get("X-OAuth-Scopes"))
		for _, need := range []string{"repo", "admin:repo_hook"} {
			if !slices.Contains(has, need) {
				token.Lacks = append(token.Lacks, need)
			}
		}
		return token, nil
	}
	token.Unsure = finegrained
	repository := repositoryPath(server.Repository)
	if repository == "" {
		return token, nil
	}
	var status *StatusError
	_, err = server.get(ctx, "/repos/"+repository, bearer(credentials))
	switch {
	case errors.As(err, &status) && status.Status == http.StatusNotFound:
		token.Unsure, token.Lacks = "", []string{"access to the shared configuration repository"}
	case err != nil:
		return Token{}, err
	}
	return token, nil
}

// githubTime parses the expiration time of a token in the two formats that GitHub uses; other texts are the zero time.
func githubTime(text string) time.Time {
	for _, layout := range []string{"2006-01-02 15:04:05 MST", "2006-01-02 15:04:05 -0700"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	return time.Time{}
}

// repositoryPath returns owner/name of a repository's URL, "" if it has none: https://host/owner/name.git/folder?ref=branch has owner/name.
func repositoryPath(repository string) string {
	parsed, err := url.Parse(repository)
	if err != nil {
		return ""
	}
	path, _, _ := strings.Cut(strings.Trim(parsed.Path, "/")+"/", ".git/")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if len(parts) < 2 {
		return ""
	}
	return url.PathEscape(parts[0]) + "/" + url.PathEscape(parts[1])
}
