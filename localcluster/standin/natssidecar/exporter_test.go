package natssidecar_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/localcluster/standin/natssidecar"
)

func TestExporter(t *testing.T) {
	t.Parallel()
	const standIn = `# HELP nats_exporter_stand_in 1: these metrics come from a stand-in of prometheus-nats-exporter.
# TYPE nats_exporter_stand_in gauge
nats_exporter_stand_in 1
# HELP nats_up Whether the server's monitoring page answers.
# TYPE nats_up gauge
`
	tests := map[string]struct {
		status        int
		varz, metrics string
	}{
		"numbers": {200, `{"server_id":"x","connections":3,"mem":12345678901}`, standIn + `nats_up 1
# HELP nats_varz_connections Open client connections.
# TYPE nats_varz_connections gauge
nats_varz_connections 3
# HELP nats_varz_mem Resident memory in bytes.
# TYPE nats_varz_mem gauge
nats_varz_mem 12345678901
`},
		"no JSON": {200, `<html>`, standIn + "nats_up 0\n"},
		"failing": {500, ``, standIn + "nats_up 0\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = r.URL.Path
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.varz)
			}))
			t.Cleanup(server.Close)
			recorder := httptest.NewRecorder()
			exporter := natssidecar.Exporter{Server: server.URL + "/", Prefix: "nats", Client: server.Client()}
			exporter.Handler().ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
			require.Equal(t, test.metrics, recorder.Body.String())
			require.Equal(t, "text/plain; version=0.0.4; charset=utf-8", recorder.Header().Get("Content-Type"))
			require.Equal(t, "/varz", asked)
		})
	}
}
