//go:build e2e

package e2e_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/install"
)

// suspended is a workflow that needs no pod.
var suspended = objects("suspended")

// eventStream checks that server-sent events of the workflows server pass every hop immediately, while the stream stays open.
func (a access) eventStream(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	a.applyHere(t, suspended)
	stream := bufio.NewScanner(a.workflowEvents(ctx, t))
	stream.Buffer(nil, 1<<20)
	readUntil(t, stream, `"e2e-suspended"`)
	begun := time.Now()
	a.apply(t, strings.Replace(suspended, "{name: e2e-suspended,", `{name: e2e-suspended, labels: {e2e: changed},`, 1))
	readUntil(t, stream, `"e2e":"changed"`)
	took := time.Since(begun)
	t.Logf("the event came after %s", took.Round(time.Millisecond))
	require.Less(t, took, 10*time.Second, "the event was buffered")
}

// readUntil reads a stream until the first event that contains a text.
func readUntil(t *testing.T, stream *bufio.Scanner, text string) {
	t.Helper()
	for stream.Scan() {
		if strings.HasPrefix(stream.Text(), "data:") && strings.Contains(stream.Text(), text) {
			return
		}
	}
	require.Failf(t, "the stream has ended", "without %s: %v", text, stream.Err())
}

// workflowEvents opens the stream of a namespace's workflow events; the end of ctx closes it.
func (a access) workflowEvents(ctx context.Context, t *testing.T) io.Reader {
	t.Helper()
	token, err := a.client.CoreV1().ServiceAccounts(install.Namespace).
		CreateToken(ctx, "argo-server", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	httpRequest, err := http.NewRequestWithContext(ctx, http.MethodGet, a.url("/workflows/api/v1/workflow-events/"+install.Namespace), nil)
	require.NoError(t, err)
	httpRequest.Header.Set("Authorization", "Bearer "+token.Status.Token)
	httpRequest.Header.Set("Accept", "text/event-stream")
	client := *a.http
	client.Timeout = 0
	response, err := client.Do(httpRequest)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Equal(t, "text/event-stream", response.Header.Get("Content-Type"))
	return response.Body
}
