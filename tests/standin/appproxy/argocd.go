package appproxy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"gitops-runtime/tests/standin/serve"
)

// ArgoCD is how app-proxy is told to sign in to the runtime's Argo CD: with a token, or with a user and a password.
type ArgoCD struct {
	URL, Username, Password, Token string
}

// ArgoCDFromEnvironment reads what the chart gives to app-proxy.
func ArgoCDFromEnvironment(getenv func(string) string) ArgoCD {
	return ArgoCD{
		URL: getenv("ARGO_CD_URL"), Username: getenv("ARGO_CD_USERNAME"),
		Password: getenv("ARGO_CD_PASSWORD"), Token: getenv("ARGO_CD_TOKEN"),
	}
}

// ServeHTTP signs in and answers as whom, {"loggedIn": true, "username": ...}; 502 says why that failed.
func (a ArgoCD) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second)
	defer cancel()
	token := a.Token
	if token == "" {
		var session struct{ Token string }
		login := map[string]string{"username": a.Username, "password": a.Password}
		if err := a.ask(ctx, http.MethodPost, "/api/v1/session", "", login, &session); err != nil {
			serve.Failure(w, http.StatusBadGateway, err.Error())
			return
		}
		token = session.Token
	}
	who := map[string]any{}
	if err := a.ask(ctx, http.MethodGet, "/api/v1/session/userinfo", token, nil, &who); err != nil {
		serve.Failure(w, http.StatusBadGateway, err.Error())
		return
	}
	serve.JSON(w, http.StatusOK, who)
}

// ask asks Argo CD for JSON. Its errors hold neither password nor token.
func (a ArgoCD) ask(ctx context.Context, method, path, token string, body, answer any) error {
	document, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(a.URL, "/")+path, bytes.NewReader(document))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("signing in: Argo CD at %s answers %s to %s", a.URL, response.Status, path)
	}
	return json.Unmarshal(text, answer)
}
