package validatecmd_test

import (
	"encoding/base64"
	"encoding/pem"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// manage starts the API server of a managed cluster if the cluster of the case has cluster Secrets.
func (w *world) manage(t *testing.T) {
	t.Helper()
	if w.spec.Cluster == nil || w.spec.Cluster.Managed == nil {
		return
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(w.managed))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	w.name("managed", server.URL)
	encoded := func(raw []byte) string {
		return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
	}
	w.words["{managed.ca}"] = encoded(server.Certificate().Raw)
	block, _ := pem.Decode([]byte(strings.ReplaceAll(certificate(t, "another CA", true, today.AddDate(1, 0, 0)), "            ", "")))
	require.NotNil(t, block)
	w.words["{another.ca}"] = encoded(block.Bytes)
	spec := w.spec.Cluster
	if spec.Text == nil {
		spec.Text = map[string]map[string]string{}
	}
	for name, data := range spec.Managed {
		spec.Text[name] = map[string]string{}
		for key, value := range data {
			spec.Text[name][key] = w.replace(value)
		}
	}
	spec.Projects = w.replace(spec.Projects)
}

// managed is the API server of a managed cluster.
func (w *world) managed(out http.ResponseWriter, r *http.Request) {
	parts := strings.Split(r.URL.Path, "/")
	switch {
	case !strings.HasSuffix(r.Header.Get("Authorization"), "good"):
		out.WriteHeader(http.StatusUnauthorized)
	case strings.HasSuffix(r.URL.Path, "/token"):
		reply(out, map[string]any{"status": map[string]any{"token": "new", "expirationTimestamp": "2026-01-02T03:04:05Z"}})
	case parts[len(parts)-1] == "selfsubjectrulesreviews":
		reply(out, map[string]any{"status": w.spec.Cluster.Rules})
	case r.URL.Path == "/apis/apps":
		reply(out, map[string]any{"preferredVersion": map[string]any{"groupVersion": "apps/v1"}})
	case r.URL.Path == "/apis/apps/v1":
		reply(out, map[string]any{"resources": []any{map[string]any{"name": "deployments", "kind": "Deployment", "namespaced": true}}})
	default:
		out.WriteHeader(http.StatusNotFound)
	}
}

// clusterSecrets returns the cluster Secrets, for a request that selects them.
func (w *world) clusterSecrets(r *http.Request) []any {
	items := []any{}
	if r.URL.Query().Get("labelSelector") != "argocd.argoproj.io/secret-type=cluster" {
		return items
	}
	for _, name := range slices.Sorted(maps.Keys(w.spec.Cluster.Managed)) {
		data := map[string][]byte{}
		for key, value := range w.spec.Cluster.Text[name] {
			data[key] = []byte(value)
		}
		items = append(items, map[string]any{"metadata": map[string]any{"name": name}, "data": data})
	}
	return items
}
