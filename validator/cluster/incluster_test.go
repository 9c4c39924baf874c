package cluster

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pod has the environment variables and the mounted service account folder of a pod.
type pod struct {
	env    map[string]string
	folder string
}

// newPod returns a pod in the cluster of the API server.
func newPod(t *testing.T, api *httptest.Server) pod {
	t.Helper()
	address, err := url.Parse(api.URL)
	require.NoError(t, err)
	made := pod{map[string]string{"KUBERNETES_SERVICE_HOST": address.Hostname(), "KUBERNETES_SERVICE_PORT": address.Port()}, t.TempDir()}
	made.write(t, "ca.crt", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: api.Certificate().Raw})))
	made.write(t, "token", "first\n")
	return made
}

func (p pod) getenv(name string) string { return p.env[name] }

func (p pod) write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(p.folder, name), []byte(text), 0o600))
}

func TestInPodReadsTheTokenForEachRequest(t *testing.T) {
	var tokens []string
	api := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tokens = append(tokens, r.Header.Get("Authorization"))
		_, _ = io.WriteString(w, `{"gitVersion":"v1.34.4"}`)
	}))
	t.Cleanup(api.Close)
	pod := newPod(t, api)
	client, err := inPod(pod.getenv, pod.folder)
	require.NoError(t, err)
	for _, token := range []string{"first", "second"} {
		pod.write(t, "token", token)
		version, err := client.Version(t.Context())
		require.NoError(t, err)
		require.Equal(t, "v1.34.4", version)
	}
	assert.Equal(t, []string{"Bearer first", "Bearer second"}, tokens)
}

func TestInPodErrors(t *testing.T) {
	api := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(api.Close)
	cases := map[string]struct {
		change func(t *testing.T, p pod)
		want   string
	}{
		"no environment": {func(_ *testing.T, p pod) { delete(p.env, "KUBERNETES_SERVICE_HOST") },
			"this is not a pod with a service account (KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set); on your own machine run validate-values without hook"},
		"no CA":    {func(t *testing.T, p pod) { require.NoError(t, os.Remove(filepath.Join(p.folder, "ca.crt"))) }, "no such file or directory"},
		"no PEM":   {func(t *testing.T, p pod) { p.write(t, "ca.crt", "text") }, "has no certificate in PEM form"},
		"no token": {func(t *testing.T, p pod) { require.NoError(t, os.Remove(filepath.Join(p.folder, "token"))) }, "no such file or directory"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			pod := newPod(t, api)
			test.change(t, pod)
			_, err := inPod(pod.getenv, pod.folder)
			require.ErrorIs(t, err, errNoPod)
			assert.ErrorContains(t, err, test.want)
		})
	}
}
