package git

import "context"

// gerrit asks Gerrit who is signed in by the HTTP password; it has no scopes.
func gerrit(ctx context.Context, server Server, credentials Credentials) (Token, error) {
	_, err := server.get(ctx, "/a/accounts/self", basic(credentials))
	return Token{}, err
}
