package argocd_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/argocd"
	"gitops-runtime/tests/standin/argocd/argocdtest"
)

func TestSessionsAndKeys(t *testing.T) {
	t.Parallel()
	server := argocdtest.Start()
	t.Cleanup(server.Close)
	client := argocd.New(server.Address(), "")
	_, err := client.SignIn(t.Context(), "admin", "wrong")
	require.EqualError(t, err, `Argo CD at `+server.URL+`/root/api/v1/session answered 401: {"error":"Invalid username or password","code":16}`)
	session, err := client.SignIn(t.Context(), "admin", "right")
	require.NoError(t, err)
	key, err := client.With(session).APIKey(t.Context(), "admin")
	require.NoError(t, err)
	require.Equal(t, "key-1", string(key))
	user, err := client.With(key).Who(t.Context())
	require.NoError(t, err)
	require.Equal(t, argocd.User{LoggedIn: true, Username: "admin"}, user)
	require.NoError(t, client.With(key).Accepts(t.Context()))
	require.EqualError(t, client.With("other").Accepts(t.Context()), "Argo CD at "+server.URL+"/root does not accept the token")
}

func TestManaged(t *testing.T) {
	t.Parallel()
	server := argocdtest.Start()
	t.Cleanup(server.Close)
	server.Accept("key")
	want := argocd.Resource{Group: "apps", Kind: "Deployment", Namespace: "n", Name: "web", TargetState: "{}", LiveState: "null"}
	server.Manage("guestbook", want)
	got, err := argocd.New(server.Address(), "key").Managed(t.Context(), "codefresh", "guestbook")
	require.NoError(t, err)
	require.Equal(t, []argocd.Resource{want}, got)
}

// The self-signed certificate of a server with TLS is accepted.
func TestTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"loggedIn":true}`)) }))
	t.Cleanup(server.Close)
	require.NoError(t, argocd.New(server.URL, "key").Accepts(t.Context()))
	require.Equal(t, "https://argo-cd-server:443/argocd", argocd.New("argo-cd-server:443/argocd", "").URL)
	require.Equal(t, "http://argo-cd-server:80", argocd.New("argo-cd-server:80", "").URL)
}
