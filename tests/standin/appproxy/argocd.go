package appproxy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"gitops-runtime/tests/standin/argocd"
	"gitops-runtime/tests/standin/serve"
	"gitops-runtime/tests/standin/settings"
)

// argoCDTokenSecret is the Secret with the API key for the runtime's other programs and for promotion workflows.
const argoCDTokenSecret = "argocd-token"

// errWrongSettings names the variables that are required to sign in to Argo CD.
var errWrongSettings = errors.New("set the environment variable ARGO_CD_URL, and ARGO_CD_TOKEN or both of ARGO_CD_USERNAME and ARGO_CD_PASSWORD")

// access determines how app-proxy signs in to Argo CD: with a token of the user, or with an API key that it requests with a password.
type access struct {
	argoCD   argocd.Client
	username string
	password settings.Secret
	token    settings.Secret // token is the token of the user.
	secrets  Secrets
}

func newAccess(given Settings, secrets Secrets) (access, error) {
	byPassword := given.ArgoCDUsername != "" && given.ArgoCDPassword != ""
	if given.ArgoCDURL == "" || (given.ArgoCDToken == "" && !byPassword) {
		return access{}, errWrongSettings
	}
	return access{
		argoCD: argocd.New(given.ArgoCDURL, ""), secrets: secrets,
		username: given.ArgoCDUsername, password: given.ArgoCDPassword, token: given.ArgoCDToken,
	}, nil
}

// current returns the token that app-proxy uses: the user's, or the API key of the Secret.
func (a access) current(ctx context.Context) (settings.Secret, error) {
	if a.token != "" {
		return a.token, nil
	}
	kept, err := a.secrets.Get(ctx, argoCDTokenSecret)
	return settings.Secret(kept[tokenKey]), err
}

// keep makes sure that Argo CD accepts the token. If app-proxy signs in with a password, it requests a new API key if the Secret has none or Argo CD
// no longer accepts it; a rejected token of the user is an error.
func (a access) keep(ctx context.Context, log *slog.Logger) error {
	token, err := a.current(ctx)
	if err != nil {
		return err
	}
	if token != "" {
		user, err := a.argoCD.With(token).Who(ctx)
		if err != nil && !unauthorized(err) {
			return err
		}
		if err == nil && user.LoggedIn {
			return nil
		}
	}
	if a.token != "" {
		return errors.New("the token of ARGO_CD_TOKEN is not valid: create a new one in Argo CD")
	}
	session, err := a.argoCD.SignIn(ctx, a.username, a.password)
	if err != nil {
		return fmt.Errorf("signing in as %q: %w", a.username, err)
	}
	key, err := a.argoCD.With(session).APIKey(ctx, a.username)
	if err != nil {
		return fmt.Errorf("requesting an API key of the account %q: %w", a.username, err)
	}
	if err := a.secrets.Save(ctx, argoCDTokenSecret, map[string][]byte{tokenKey: []byte(key)}); err != nil {
		return err
	}
	log.InfoContext(ctx, "Argo CD has a new API key", "account", a.username, "secret", argoCDTokenSecret)
	return nil
}

func unauthorized(err error) bool {
	var status argocd.StatusError
	return errors.As(err, &status) && status.Code == http.StatusUnauthorized
}

// ServeHTTP responds with the user as which app-proxy uses Argo CD, {"loggedIn": true, "username": ...}, or with 502 and the reason.
func (a access) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second)
	defer cancel()
	token, err := a.current(ctx)
	if err != nil {
		serve.Failure(w, http.StatusBadGateway, err.Error())
		return
	}
	user, err := a.argoCD.With(token).Who(ctx)
	if err != nil {
		serve.Failure(w, http.StatusBadGateway, err.Error())
		return
	}
	serve.JSON(w, http.StatusOK, user)
}
