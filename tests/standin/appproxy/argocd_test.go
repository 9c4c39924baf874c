package appproxy_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/appproxy"
)

// The response contains the user as which app-proxy uses Argo CD.
func TestAnswersAsWhom(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, test := range map[string]struct {
		change func(*appproxy.Settings)
		body   string
	}{
		"API key":     {func(*appproxy.Settings) {}, `{"loggedIn":true,"username":"admin"}`},
		"wrong token": {func(s *appproxy.Settings) { s.ArgoCDToken = "other" }, `{"loggedIn":false,"username":""}`},
	} {
		t.Run(name, func(t *testing.T) {
			given := w.settings()
			test.change(&given)
			w.argoCD.Accept("kept")
			require.NoError(t, w.secrets.Save(t.Context(), "argocd-token", map[string][]byte{"token": []byte("kept")}))
			program := w.program(t, given)
			recorder := httptest.NewRecorder()
			program.Handler().ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, appproxy.ArgoCDPath, nil))
			require.Equal(t, http.StatusOK, recorder.Code)
			require.JSONEq(t, test.body, recorder.Body.String())
		})
	}
}
