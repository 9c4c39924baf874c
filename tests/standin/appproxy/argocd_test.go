package appproxy_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/appproxy"
)

// argoCD knows one user and one token.
func argoCD(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /root/api/v1/session", func(w http.ResponseWriter, r *http.Request) {
		var login struct{ Username, Password string }
		if json.NewDecoder(r.Body).Decode(&login) != nil || login.Username != "admin" || login.Password != "right" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"token":"given"}`))
	})
	mux.HandleFunc("GET /root/api/v1/session/userinfo", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer given" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"loggedIn":true,"username":"admin"}`))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/root"
}

func TestSignsInToArgoCD(t *testing.T) {
	t.Parallel()
	url := argoCD(t)
	for name, test := range map[string]struct {
		environment map[string]string
		status      int
		body        string
	}{
		"password":       {map[string]string{"ARGO_CD_USERNAME": "admin", "ARGO_CD_PASSWORD": "right"}, http.StatusOK, `{"loggedIn":true,"username":"admin"}`},
		"token":          {map[string]string{"ARGO_CD_TOKEN": "given"}, http.StatusOK, `{"loggedIn":true,"username":"admin"}`},
		"wrong password": {map[string]string{"ARGO_CD_USERNAME": "admin", "ARGO_CD_PASSWORD": "wrong"}, http.StatusBadGateway, `{"message":"signing in: Argo CD at ` + url + ` answers 401 Unauthorized to /api/v1/session"}`},
		"wrong token":    {map[string]string{"ARGO_CD_TOKEN": "other"}, http.StatusBadGateway, `{"message":"signing in: Argo CD at ` + url + ` answers 401 Unauthorized to /api/v1/session/userinfo"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.environment["ARGO_CD_URL"] = url
			given := appproxy.ArgoCDFromEnvironment(func(key string) string { return test.environment[key] })
			recorder := httptest.NewRecorder()
			appproxy.New(appproxy.Options{ArgoCD: given}).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, appproxy.ArgoCDPath, nil))
			require.Equal(t, test.status, recorder.Code)
			require.JSONEq(t, test.body, recorder.Body.String())
		})
	}
}
