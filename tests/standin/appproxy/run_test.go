package appproxy_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes/fake"

	"gitops-runtime/tests/standin/appproxy"
	"gitops-runtime/tests/standin/argocd/argocdtest"
	"gitops-runtime/tests/standin/kube"
	"gitops-runtime/tests/standin/platformapi"
)

// world contains the servers that app-proxy calls.
type world struct {
	platform *platformapi.Server
	argoCD   *argocdtest.Server
	secrets  kube.Secrets
}

func newWorld(t *testing.T, faults ...platformapi.Fault) world {
	t.Helper()
	server, err := platformapi.Start(t.Context(), platformapi.Options{Faults: faults})
	require.NoError(t, err)
	argoCD := argocdtest.Start()
	t.Cleanup(argoCD.Close)
	return world{server, argoCD, kube.Secrets{Client: fake.NewClientset(), Namespace: "codefresh", Manager: "app-proxy"}}
}

// settings returns the settings of the chart's defaults.
func (w world) settings() appproxy.Settings {
	return appproxy.Settings{
		PlatformURL: w.platform.URL, UserToken: "user-token-admin", Runtime: "local", RuntimeVersion: "0.1.72", ChartVersion: "0.1.0",
		Namespace: "codefresh", Cluster: "https://kubernetes.default.svc", InstallationType: "HELM", IngressHost: "https://acc1-local.tunnels.local",
		IngressClass: "nginx", IngressController: "nginx", ArgoCDURL: w.argoCD.URL + "/root", ArgoCDUsername: "admin", ArgoCDPassword: "right", HTTP: 8080,
	}
}

func (w world) program(t *testing.T, given appproxy.Settings) *appproxy.Program {
	t.Helper()
	program, err := appproxy.New(given, w.secrets, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return program
}

// work runs a program until it is ready, and returns the error that ends it before.
func (w world) work(t *testing.T, program *appproxy.Program, then func()) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- program.Work(ctx, time.Millisecond, time.Millisecond) }()
	for {
		select {
		case err := <-ended:
			return err
		case <-time.After(time.Millisecond):
		}
		recorder := httptest.NewRecorder()
		program.Handler().ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/readyz", nil))
		if recorder.Code == http.StatusOK {
			then()
			cancel()
			return <-ended
		}
	}
}

func TestRegisters(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*appproxy.Settings)
		faults []platformapi.Fault
		reason string
	}{
		"first time":         {},
		"platform busy":      {faults: []platformapi.Fault{{Path: platformapi.GraphQLPath, Status: 503, Times: 2}, {Path: "/api/ping", Status: 500, Times: 1}}},
		"unknown user token": {change: func(s *appproxy.Settings) { s.UserToken = "secret-nobody" }, reason: `registering the runtime "local": the platform at URL/2.0/api/graphql does not accept the token`},
		"not an admin":       {change: func(s *appproxy.Settings) { s.UserToken = "user-token-member" }, reason: `registering the runtime "local": the platform at URL answered: only an administrator of the active account may do this`},
		"name taken":         {change: func(s *appproxy.Settings) { s.Runtime = "taken" }, reason: `registering the runtime "taken": the platform at URL answered: a runtime of this name is registered from another cluster or namespace: "taken"`},
		"no token":           {change: func(s *appproxy.Settings) { s.UserToken = "" }, reason: `set the environment variable USER_TOKEN: the runtime "local" is not registered, and RUNTIME_TOKEN has no value either`},
		"token of nobody":    {change: func(s *appproxy.Settings) { s.Token = "secret-nobody" }, reason: "the platform at URL/api/argo-runtime does not accept the token"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, test.faults...)
			given := w.settings()
			if test.change != nil {
				test.change(&given)
			}
			err := w.work(t, w.program(t, given), func() {})
			if test.reason != "" {
				require.ErrorContains(t, err, urls(test.reason, w.platform.URL))
				kept, err := w.secrets.Get(t.Context(), "codefresh-token")
				require.NoError(t, err)
				require.Nil(t, kept)
				return
			}
			require.NoError(t, err)
			kept, err := w.secrets.Get(t.Context(), "codefresh-token")
			require.NoError(t, err)
			require.Equal(t, w.platform.Token("acc1", "local"), string(kept["token"]))
			require.Regexp(t, "^[0-9a-f]{32}$", string(kept["encryptionIV"]))
			require.Equal(t, platformapi.Runtime{
				Account: "acc1", Name: "local", Namespace: "codefresh", Cluster: "https://kubernetes.default.svc", IngressHost: "https://acc1-local.tunnels.local",
				Version: "0.1.72", Status: "COMPLETED", InstallationType: "HELM", ChartVersion: "0.1.0", IngressClass: "nginx", IngressController: "nginx",
			}, w.platform.Runtimes()[0])
		})
	}
}

// A registered runtime keeps its token, whether the pod reads it from its environment or from the Secret.
func TestRegistersOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.NoError(t, w.work(t, w.program(t, w.settings()), func() {}))
	token := w.platform.Token("acc1", "local")
	require.NoError(t, w.work(t, w.program(t, w.settings()), func() {}))
	again := w.settings()
	again.Token, again.UserToken = "runtime-token-taken", ""
	again.Runtime = "taken"
	require.NoError(t, w.work(t, w.program(t, again), func() {}))
	require.Equal(t, token, w.platform.Token("acc1", "local"))
}

// With a password the API key is stored, and requested again if Argo CD no longer accepts it; with a token of the user nothing is written.
func TestKeepsAPIKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	key := func() string {
		kept, err := w.secrets.Get(t.Context(), "argocd-token")
		require.NoError(t, err)
		return string(kept["token"])
	}
	require.NoError(t, w.work(t, w.program(t, w.settings()), func() {
		require.Equal(t, "key-1", key())
		w.argoCD.RevokeAll()
		require.Eventually(t, func() bool { return key() == "key-2" }, 10*time.Second, time.Millisecond)
	}))
}

func TestTakesTokenOfUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.argoCD.Accept("of-the-user")
	given := w.settings()
	given.ArgoCDUsername, given.ArgoCDPassword, given.ArgoCDToken = "", "", "of-the-user"
	require.NoError(t, w.work(t, w.program(t, given), func() {}))
	kept, err := w.secrets.Get(t.Context(), "argocd-token")
	require.NoError(t, err)
	require.Nil(t, kept)
}

// A pod other than the leader waits for the Secret and requests nothing.
func TestFollows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	elector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"name":"leader"}`)) }))
	t.Cleanup(elector.Close)
	given := w.settings()
	given.LeaderID = "follower"
	program := w.program(t, given)
	program.AskElector(elector.URL)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.NoError(t, program.Work(ctx, time.Millisecond, time.Millisecond))
	require.Len(t, w.platform.Runtimes(), 1, "the seed's alone")

	given.LeaderID = "leader"
	leader := w.program(t, given)
	leader.AskElector(elector.URL)
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.NoError(t, leader.Work(ctx, time.Millisecond, time.Millisecond))
	require.Len(t, w.platform.Runtimes(), 2)
}

func TestWrongSettings(t *testing.T) {
	t.Parallel()
	const access = "set the environment variable ARGO_CD_URL, and ARGO_CD_TOKEN or both of ARGO_CD_USERNAME and ARGO_CD_PASSWORD"
	w := newWorld(t)
	for name, test := range map[string]struct {
		change func(*appproxy.Settings)
		reason string
	}{
		"no platform":    {func(s *appproxy.Settings) { s.PlatformURL = "" }, "set the environment variable CF_HOST to the URL of the platform: it has no value"},
		"no Argo CD":     {func(s *appproxy.Settings) { s.ArgoCDURL = "" }, access},
		"no password":    {func(s *appproxy.Settings) { s.ArgoCDPassword = "" }, access},
		"no certificate": {func(s *appproxy.Settings) { s.ExtraCA = t.TempDir() }, "reading the certificates to trust: "},
	} {
		t.Run(name, func(t *testing.T) {
			given := w.settings()
			test.change(&given)
			_, err := appproxy.New(given, w.secrets, slog.New(slog.DiscardHandler))
			require.ErrorContains(t, err, test.reason)
		})
	}
}

func TestPort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	given := w.settings()
	require.Equal(t, 8080, w.program(t, given).Port())
	given.Port = 9000
	require.Equal(t, 9000, w.program(t, given).Port())
}
