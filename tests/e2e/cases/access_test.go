//go:build e2e

package e2e_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/websocket"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
	"gitops-runtime/tests/standin/appproxy"
)

// access is the runtime in a mode, as seen from outside.
type access struct {
	*environment
	outside
	mode images.Mode
}

func (e *environment) access(t *testing.T, mode images.Mode) access {
	t.Helper()
	endpoint, err := install.EndpointOf(mode)
	require.NoError(t, err)
	// a pod that an upgrade replaces may still get requests while it terminates, and not respond
	eventually(t, "replaced pods are gone", 2*time.Minute, func(ctx context.Context) error {
		pods, err := e.client.CoreV1().Pods(install.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, pod := range pods.Items {
			if pod.DeletionTimestamp != nil {
				return fmt.Errorf("the pod %s still exists", pod.Name)
			}
		}
		return nil
	})
	return access{e, e.outside(t, endpoint), mode}
}

// appProxy checks that method, path, query, header and body arrive at app-proxy as they were sent.
func (a access) appProxy(t *testing.T) {
	got := a.answer(t, http.StatusOK, time.Minute, request{
		method: http.MethodPut, path: "/app-proxy/api/things?a=b", body: "12345", header: map[string]string{"X-Test": "e2e"},
	})
	var echo appproxy.Echo
	require.NoError(t, json.Unmarshal(got.body, &echo))
	assert.Equal(t, "app-proxy", echo.StandIn)
	assert.Equal(t, http.MethodPut, echo.Method)
	assert.Equal(t, "/app-proxy/api/things", echo.Path)
	assert.Equal(t, "a=b", echo.Query)
	assert.Equal(t, "e2e", echo.Headers.Get("X-Test"))
	assert.Equal(t, int64(5), echo.BodyBytes)
	assert.Contains(t, echo.Host, "cap-app-proxy.", "the target sees its own name as the host")
}

// argoCD checks that app-proxy has what it needs to sign in to the runtime's Argo CD.
func (a access) argoCD(t *testing.T) {
	got := a.answer(t, http.StatusOK, 20*time.Second, request{path: appproxy.ArgoCDPath})
	var who struct {
		LoggedIn bool
		Username string
	}
	require.NoError(t, json.Unmarshal(got.body, &who))
	assert.True(t, who.LoggedIn)
	assert.Equal(t, "admin", who.Username)
}

// webSocket checks that an upgraded connection passes every hop, and messages go both ways.
func (a access) webSocket(t *testing.T) {
	scheme := map[string]string{"http": "ws", "https": "wss"}[a.endpoint.Scheme]
	config, err := websocket.NewConfig(scheme+a.url("/app-proxy/ws")[len(a.endpoint.Scheme):], a.url(""))
	require.NoError(t, err)
	raw, err := a.dial(t.Context())
	require.NoError(t, err)
	defer raw.Close()
	require.NoError(t, raw.SetDeadline(time.Now().Add(30*time.Second)))
	if a.endpoint.Scheme == "https" {
		raw = tls.Client(raw, a.tls)
	}
	connection, err := websocket.NewClient(config, raw)
	require.NoError(t, err)
	for _, message := range []string{"one", "two"} {
		require.NoError(t, websocket.Message.Send(connection, message))
		var echoed string
		require.NoError(t, websocket.Message.Receive(connection, &echoed))
		require.Equal(t, message, echoed)
	}
}

// workflowsServer checks that the Argo server responds under /workflows to clients with a token.
func (a access) workflowsServer(t *testing.T) {
	token, err := a.client.CoreV1().ServiceAccounts(install.Namespace).
		CreateToken(t.Context(), "argo-server", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	got := a.answer(t, http.StatusOK, time.Minute, request{
		path: "/workflows/api/v1/version", header: map[string]string{"Authorization": "Bearer " + token.Status.Token},
	})
	var version struct {
		Version  string `json:"version"`
		Platform string `json:"platform"`
	}
	require.NoError(t, json.Unmarshal(got.body, &version), string(got.body))
	image := a.image(t, install.Namespace, "argo-server", "argo-server")
	_, tag, _ := strings.Cut(image[strings.LastIndex(image, "/"):], ":")
	assert.Equal(t, tag, strings.Split(version.Version, "+")[0])

	refused, err := a.ask(t.Context(), request{path: "/workflows/api/v1/version"})
	require.NoError(t, err)
	assert.Equal(t, http.StatusUnauthorized, refused.status)
	assert.JSONEq(t, `{"code":16,"message":"token not valid. see https://argo-workflows.readthedocs.io/en/latest/faq/"}`, string(refused.body))
}
