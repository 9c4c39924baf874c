package git

import (
	"context"
	"errors"
	"slices"
)

// bitbucketNeeds are the permissions on Bitbucket Cloud, each with a name and the scopes that grant it: those of app passwords (account, or account:read
// as Codefresh's cli-v2 requests in pkg/git/provider_bitbucket.go), and those of API tokens (read:account and read:user:bitbucket;
// https://developer.atlassian.com/cloud/bitbucket/bitbucket-cloud-rest-api-scopes).
var bitbucketNeeds = []struct {
	right  string
	scopes []string
}{
	{"account read", []string{"account", "account:read", "account:write", "read:user:bitbucket", "read:account"}},
	{"workspace membership read", []string{"team", "team:write", "read:workspace:bitbucket", "admin:workspace:bitbucket"}},
	{"webhooks read", []string{"webhook", "read:webhook:bitbucket"}},
	{"webhooks write", []string{"webhook", "write:webhook:bitbucket"}},
	{"repositories write", []string{"repository:write", "write:repository:bitbucket"}},
	{"repositories admin", []string{"repository:admin", "admin:repository:bitbucket"}},
}

// bitbucketCloud queries Bitbucket Cloud, which sends the scopes with every response.
func bitbucketCloud(ctx context.Context, server Server, credentials Credentials) (Token, error) {
	answer, err := server.get(ctx, "/user", basic(credentials))
	var refused struct {
		Error struct {
			Detail *struct {
				Granted []string `json:"granted"`
			} `json:"detail"`
		} `json:"error"`
	}
	if decodeForbidden(err, &refused) && refused.Error.Detail != nil {
		return bitbucketToken(refused.Error.Detail.Granted), nil
	}
	if err != nil {
		return Token{}, err
	}
	if _, sent := answer.header["X-Oauth-Scopes"]; !sent {
		return Token{Unsure: "the server does not return the token's scopes"}, nil
	}
	return bitbucketToken(scopes(answer.header.Get("X-OAuth-Scopes"))), nil
}

func bitbucketToken(has []string) Token {
	var token Token
	for _, need := range bitbucketNeeds {
		if !slices.ContainsFunc(need.scopes, func(scope string) bool { return slices.Contains(has, scope) }) {
			token.Lacks = append(token.Lacks, need.right)
		}
	}
	return token
}

// page is a list in a response of Bitbucket Data Center.
type page struct {
	Size int `json:"size"`
}

// bitbucketDataCenter queries the signed-in user of Bitbucket Data Center, and whether there is a project or a repository that this user administers.
func bitbucketDataCenter(ctx context.Context, server Server, credentials Credentials) (Token, error) {
	const api = "/rest/api/latest"
	answer, err := server.get(ctx, api+"/application-properties", bearer(credentials))
	if err != nil {
		return Token{}, err
	}
	if answer.header.Get("X-AUSERNAME") == "" {
		return Token{}, ErrAnonymous
	}
	for _, list := range []string{"/projects?permission=PROJECT_ADMIN&limit=1", "/repos?permission=REPO_ADMIN&limit=1"} {
		answer, err := server.get(ctx, api+list, bearer(credentials))
		if err != nil {
			return Token{}, err
		}
		var found page
		if err := answer.decode(&found); err != nil {
			return Token{}, err
		}
		if found.Size > 0 {
			return Token{}, nil
		}
	}
	return Token{Lacks: []string{"the administration of any project or repository"}}, nil
}

// ErrAnonymous is returned if the server responds as it does to an anonymous user.
var ErrAnonymous = errors.New("the server does not take the token for a user's")
