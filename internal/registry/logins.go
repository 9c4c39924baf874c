package registry

import (
	"fmt"
	"io"
	"os"

	"github.com/docker/cli/cli/config"
	"github.com/google/go-containerregistry/pkg/authn"

	"gitops-runtime/internal/registry/fault"
)

// logins is the path of the file of `helm registry login`, which has Docker's format.
type logins string

// Resolve returns the login for a registry, or anonymous access.
func (k logins) Resolve(target authn.Resource) (authn.Authenticator, error) {
	file, err := os.Open(string(k))
	if err != nil {
		return authn.Anonymous, nil
	}
	defer file.Close()
	logins, err := config.LoadFromReader(io.LimitReader(file, maxAuthorities))
	if err != nil {
		return nil, k.unusable(err)
	}
	login, err := logins.GetAuthConfig(target.RegistryStr())
	if err != nil {
		return nil, k.unusable(err)
	}
	if login.Username == "" && login.IdentityToken == "" && login.RegistryToken == "" {
		return authn.Anonymous, nil
	}
	return authn.FromConfig(authn.AuthConfig{
		Username: login.Username, Password: login.Password, IdentityToken: login.IdentityToken, RegistryToken: login.RegistryToken,
	}), nil
}

// unusable returns an error that never quotes the content of the file.
func (k logins) unusable(err error) error {
	return &fault.UserError{Message: fmt.Sprintf("logins of registries in %s cannot be read; fix the file, or name another with --registry-config", string(k)), Err: err}
}
