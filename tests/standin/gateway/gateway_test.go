package gateway_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes/fake"

	"gitops-runtime/tests/standin/argocd/argocdtest"
	"gitops-runtime/tests/standin/gateway"
	"gitops-runtime/tests/standin/kube"
	"gitops-runtime/tests/standin/platformapi"
)

// The gateway is ready once the platform, Argo CD with the token of the Secret, and the repo server respond.
func TestReadiness(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*gateway.Settings)
		secret string
		reason string
	}{
		"all answer":     {func(*gateway.Settings) {}, "key", ""},
		"no platform":    {func(s *gateway.Settings) { s.PlatformURL = "http://127.0.0.1:1" }, "key", "platform: calling the platform: "},
		"no Secret":      {func(s *gateway.Settings) { s.TokenSecret = "other" }, "key", "Argo CD: the Secret other has nothing under the key token"},
		"wrong token":    {func(*gateway.Settings) {}, "wrong", "does not accept the token"},
		"no repo server": {func(s *gateway.Settings) { s.RepoServer = "127.0.0.1:1" }, "key", "repo server: connecting to 127.0.0.1:1: "},
		"no Redis":       {func(s *gateway.Settings) { s.Redis = "127.0.0.1:1" }, "key", "Redis: connecting to 127.0.0.1:1: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, err := platformapi.Start(t.Context(), platformapi.Options{})
			require.NoError(t, err)
			argoCD := argocdtest.Start()
			t.Cleanup(argoCD.Close)
			argoCD.Accept("key")
			repoServer, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			t.Cleanup(func() { _ = repoServer.Close() })
			secrets := kube.Secrets{Client: fake.NewClientset(), Namespace: "codefresh", Manager: "test"}
			require.NoError(t, secrets.Save(t.Context(), "argocd-token", map[string][]byte{"token": []byte(test.secret)}))
			given := gateway.Settings{
				PlatformURL: server.URL, Token: "runtime-token-taken", ArgoCD: argoCD.Address(), TokenSecret: "argocd-token", TokenKey: "token",
				RepoServer: repoServer.Addr().String(),
			}
			test.change(&given)
			program, err := gateway.New(given, secrets, slog.New(slog.DiscardHandler))
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- program.Work(ctx, time.Millisecond) }()
			require.Eventually(t, func() bool {
				recorder := httptest.NewRecorder()
				program.Handler().ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/healthz", nil))
				if test.reason == "" {
					return recorder.Code == http.StatusOK
				}
				return recorder.Code == http.StatusServiceUnavailable && strings.Contains(recorder.Body.String(), test.reason)
			}, 10*time.Second, time.Millisecond)
			cancel()
			require.NoError(t, <-ended)
		})
	}
}

func TestCertificateThatIsNotThere(t *testing.T) {
	t.Parallel()
	_, err := gateway.New(gateway.Settings{CAFile: "/none/ca.crt"}, kube.Secrets{}, slog.New(slog.DiscardHandler))
	require.EqualError(t, err, "reading the certificates to trust: open /none/ca.crt: no such file or directory")
}
