package git

import "context"

// gerrit queries the user that is signed in with the HTTP password; Gerrit has no scopes.
func gerrit(ctx context.Context, server Server, credentials Credentials) (Token, error) {
	_, err := server.get(ctx, "/a/accounts/self", basic(credentials))
	return Token{}, err
}
