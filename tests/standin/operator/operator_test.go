package operator_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes/fake"

	"gitops-runtime/tests/standin/argocd/argocdtest"
	"gitops-runtime/tests/standin/kube"
	"gitops-runtime/tests/standin/operator"
	"gitops-runtime/tests/standin/platformapi"
	"gitops-runtime/tests/standin/recordings"
)

func ready(t *testing.T, program *operator.Program) (int, string) {
	t.Helper()
	recorder := httptest.NewRecorder()
	program.Handler().ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/readyz", nil))
	return recorder.Code, recorder.Body.String()
}

// The operator becomes ready, polls, and sends the actions of tasks to app-proxy; it polls again after a failure of the platform.
func TestPolls(t *testing.T) {
	t.Parallel()
	server, err := platformapi.Start(t.Context(), platformapi.Options{})
	require.NoError(t, err)
	argoCD := argocdtest.Start()
	t.Cleanup(argoCD.Close)
	argoCD.Accept("key")
	sent := make(chan string, 10)
	appProxy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		sent <- r.Method + " " + r.URL.Path + " " + string(body)
	}))
	t.Cleanup(appProxy.Close)
	secrets := kube.Secrets{Client: fake.NewClientset(), Namespace: "codefresh", Manager: "test"}
	program, err := operator.New(operator.Settings{
		PlatformURL: server.URL, Token: "runtime-token-taken", ArgoCD: argoCD.Address(), TokenSecret: "argocd-token", TokenKey: "token",
		AppProxy: appProxy.URL, Workflows: "http://127.0.0.1:1", TaskInterval: time.Millisecond, CommitStatusInterval: time.Millisecond,
	}, secrets, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- program.Work(ctx, time.Millisecond) }()

	require.Eventually(t, func() bool {
		status, reason := ready(t, program)
		return status == http.StatusServiceUnavailable && reason == "{\n  \"message\": \"Argo CD: the Secret argocd-token has nothing under the key token\"\n}\n"
	}, 10*time.Second, time.Millisecond)
	require.NoError(t, secrets.Save(t.Context(), "argocd-token", map[string][]byte{"token": []byte("key")}))
	require.Eventually(t, func() bool { status, _ := ready(t, program); return status == http.StatusOK }, 10*time.Second, time.Millisecond)

	server.Inject(platformapi.Fault{Contains: "productRelease", Status: 503, Times: 3})
	for _, recorded := range recordings.Tasks() {
		var task platformapi.Task
		require.NoError(t, json.Unmarshal(recorded, &task))
		server.AddTask("taken", task)
		var action struct{ ActionURL, ActionBody string }
		require.NoError(t, json.Unmarshal(recorded, &action))
		if action.ActionURL != "" {
			require.Equal(t, "POST "+action.ActionURL+" "+action.ActionBody, <-sent)
		}
	}
	status, _ := ready(t, program)
	require.Equal(t, http.StatusOK, status, "it stays ready")
	cancel()
	require.NoError(t, <-ended)
}
