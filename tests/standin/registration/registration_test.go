package registration_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"gitops-runtime/tests/standin/platform"
	"gitops-runtime/tests/standin/registration"
)

// kept is a Secret in memory whose calls may fail.
type kept struct {
	token    string
	failures []error
	saves    int
}

func (k *kept) Token(context.Context) (string, error) { return k.token, nil }

func (k *kept) Save(_ context.Context, token string) error {
	k.saves++
	if len(k.failures) > 0 {
		err := k.failures[0]
		k.failures = k.failures[1:]
		return err
	}
	k.token = token
	return nil
}

func config(address string) registration.Config {
	return registration.Config{
		PlatformURL: address, UserToken: "user-token-admin", Runtime: "local", Namespace: "codefresh",
		Cluster: "https://kubernetes.default.svc", IngressHost: "https://acc1-local.tunnels.local", Version: "0.1.0",
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	broken := platform.Fault{Path: platform.GraphQLPath, GraphQLError: "broken", Times: 1}
	busy := platform.Fault{Path: platform.GraphQLPath, Status: 503, Times: 2}
	tests := map[string]struct {
		change  func(*registration.Config)
		secrets kept
		faults  []platform.Fault
		reason  string
		saves   int
	}{
		"first time":            {saves: 1},
		"registered already":    {secrets: kept{token: "old"}},
		"platform busy":         {faults: []platform.Fault{busy, broken}, saves: 1},
		"Secret not written":    {secrets: kept{failures: []error{errors.New("conflict")}}, saves: 2},
		"unknown user token":    {change: func(c *registration.Config) { c.UserToken = "secret-nobody" }, reason: "the platform at URL/2.0/api/graphql does not know the user token: set global.codefresh.userToken to a valid one"},
		"user is no admin":      {change: func(c *registration.Config) { c.UserToken = "user-token-member" }, reason: `the platform did not register the runtime "local": only an administrator of the active account may do this`},
		"name taken":            {change: func(c *registration.Config) { c.Runtime = "taken" }, reason: `the platform did not register the runtime "taken": a runtime of this name is registered from another cluster or namespace: "taken"`},
		"the platform's no URL": {change: func(c *registration.Config) { c.PlatformURL = "http://a b" }, reason: `CODEFRESH_URL "http://a b" is no URL`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made, err := platform.New(platform.Options{Faults: test.faults})
			require.NoError(t, err)
			server := httptest.NewServer(made)
			t.Cleanup(server.Close)
			given := config(server.URL)
			if test.change != nil {
				test.change(&given)
			}
			var log bytes.Buffer
			client := registration.Client{HTTP: server.Client()}
			err = registration.Run(t.Context(), given, &test.secrets, client, slog.New(slog.NewTextHandler(&log, nil)), time.Millisecond)
			require.Equal(t, test.saves, test.secrets.saves)
			require.NotRegexp(t, `user-token|secret-nobody|runtime-[A-Z2-7]`, log.String())
			if test.reason != "" {
				require.EqualError(t, err, string(bytes.ReplaceAll([]byte(test.reason), []byte("URL/"), []byte(server.URL+"/"))))
				return
			}
			require.NoError(t, err)
			if test.saves > 0 {
				require.Equal(t, made.Token("acc1", "local"), test.secrets.token)
				require.Equal(t, platform.Runtime{
					Account: "acc1", Name: "local", Namespace: "codefresh", Cluster: "https://kubernetes.default.svc",
					IngressHost: "https://acc1-local.tunnels.local", Version: "0.1.0", Status: "COMPLETED",
				}, made.Runtimes()[0])
			}
		})
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err := registration.Run(ctx, config("http://127.0.0.1:1"), &kept{}, registration.Client{HTTP: http.DefaultClient}, slog.New(slog.DiscardHandler), time.Millisecond)
	require.ErrorContains(t, err, `registering the runtime "local": out of time, last failure: calling the platform: `)
}

func TestFromEnvironment(t *testing.T) {
	t.Parallel()
	environment := map[string]string{
		"CODEFRESH_URL": "https://g.codefresh.io/", "USER_TOKEN": "t", "RUNTIME_NAME": "local", "NAMESPACE": "codefresh",
		"CLUSTER": "https://kubernetes.default.svc", "INGRESS_HOST": "https://here", "RUNTIME_VERSION": "0.1.0",
	}
	given, err := registration.FromEnvironment(func(name string) string { return environment[name] })
	require.NoError(t, err)
	require.Equal(t, registration.Config{
		PlatformURL: "https://g.codefresh.io", UserToken: "t", Runtime: "local", Namespace: "codefresh",
		Cluster: "https://kubernetes.default.svc", IngressHost: "https://here", Version: "0.1.0",
	}, given)
	_, err = registration.FromEnvironment(func(name string) string { return map[string]string{"NAMESPACE": "n", "CLUSTER": "c"}[name] })
	require.EqualError(t, err, "set the environment variables CODEFRESH_URL, USER_TOKEN, RUNTIME_NAME: they are empty")
}

// The Secret is read and written with the calls that the chart's Role allows: get, and patch by server-side apply.
func TestClusterSecrets(t *testing.T) {
	t.Parallel()
	var stored []byte
	var calls []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls = append(calls, r.Method+" "+r.URL.String()+" "+r.Header.Get("Content-Type"))
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodPatch {
			var body bytes.Buffer
			_, _ = body.ReadFrom(r.Body)
			stored = body.Bytes()
		}
		if stored == nil {
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`))
			return
		}
		_, _ = w.Write(stored)
	}))
	t.Cleanup(server.Close)
	client, err := dynamic.NewForConfig(&rest.Config{Host: server.URL})
	require.NoError(t, err)
	secrets := registration.ClusterSecrets{Client: client, Namespace: "codefresh"}

	token, err := secrets.Token(t.Context())
	require.NoError(t, err)
	require.Empty(t, token)
	require.NoError(t, secrets.Save(t.Context(), "runtime-token"))
	token, err = secrets.Token(t.Context())
	require.NoError(t, err)
	require.Equal(t, "runtime-token", token)
	require.Equal(t, []string{
		"GET /api/v1/namespaces/codefresh/secrets/codefresh-token ",
		"PATCH /api/v1/namespaces/codefresh/secrets/codefresh-token?fieldManager=app-proxy-init&force=true application/apply-patch+yaml",
		"GET /api/v1/namespaces/codefresh/secrets/codefresh-token ",
	}, calls)
	require.JSONEq(t, `{"apiVersion":"v1","kind":"Secret","type":"Opaque","metadata":{"name":"codefresh-token","namespace":"codefresh",
		"labels":{"codefresh.io/internal":"true"}},"data":{"token":"cnVudGltZS10b2tlbg=="}}`, string(stored))
}

func TestClusterSecretsForbidden(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"no rule"}`))
	}))
	t.Cleanup(server.Close)
	client, err := dynamic.NewForConfig(&rest.Config{Host: server.URL})
	require.NoError(t, err)
	secrets := registration.ClusterSecrets{Client: client, Namespace: "codefresh"}
	_, err = secrets.Token(t.Context())
	require.EqualError(t, err, "reading the Secret codefresh/codefresh-token: no rule")
	require.EqualError(t, secrets.Save(t.Context(), "secret"), "writing the Secret codefresh/codefresh-token: no rule")
}
