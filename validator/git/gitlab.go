package git

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"time"
)

// projectBot matches the user name of the bot that GitLab creates for a project access
// token: project_{project_id}_bot_{random}, before GitLab 16 without the last
// part (https://docs.gitlab.com/user/project/settings/project_access_tokens/#bot-users-for-projects).
// A group access token belongs to group_{group_id}_bot_{random}
// (https://docs.gitlab.com/user/group/settings/group_access_tokens/#bot-users-for-groups)
// and reaches every project of its group, so the runtime can use it.
var projectBot = regexp.MustCompile(`^project_[0-9]+_bot`)

// gitlab queries GitLab, which describes the token itself since version 15.5.
func gitlab(ctx context.Context, server Server, credentials Credentials) (Token, error) {
	private := func(request *http.Request) { request.Header.Set("PRIVATE-TOKEN", credentials.Token) }
	answer, err := server.get(ctx, "/user", private)
	var refused struct {
		Error string `json:"error"`
	}
	if decodeForbidden(err, &refused) && refused.Error == "insufficient_scope" {
		return Token{Lacks: []string{"api"}}, nil
	}
	if err != nil {
		return Token{}, err
	}
	var user struct {
		Username string `json:"username"`
	}
	if err := answer.decode(&user); err != nil {
		return Token{}, err
	}
	token := Token{Project: projectBot.MatchString(user.Username)}
	answer, err = server.get(ctx, "/personal_access_tokens/self", private)
	var status *StatusError
	switch {
	case errors.As(err, &status) && status.Status == http.StatusNotFound:
		token.Unsure = "this GitLab is older than 15.5 and does not return the token's scopes; it needs api"
		return token, nil
	case err != nil:
		return Token{}, err
	}
	var self struct {
		Scopes  []string `json:"scopes"`
		Expires string   `json:"expires_at"`
	}
	if err := answer.decode(&self); err != nil {
		return Token{}, err
	}
	if !slices.Contains(self.Scopes, "api") {
		token.Lacks = []string{"api"}
	}
	if at, err := time.Parse(time.DateOnly, self.Expires); err == nil {
		token.Expires = at
	}
	return token, nil
}
