package natssidecar

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"gitops-runtime/tests/standin/serve"
)

// scrapeTime is the maximum time for a response of the server.
const scrapeTime = 5 * time.Second

// gauge is a number of the server's /varz and its metric.
type gauge struct{ field, metric, help string }

func gauges() []gauge {
	return []gauge{
		{"connections", "varz_connections", "Open client connections."},
		{"subscriptions", "varz_subscriptions", "Active subscriptions."},
		{"in_msgs", "varz_in_msgs", "Messages received since the start."},
		{"out_msgs", "varz_out_msgs", "Messages sent since the start."},
		{"mem", "varz_mem", "Resident memory in bytes."},
	}
}

// Exporter serves a few numbers of a NATS server's monitoring page as Prometheus metrics at /metrics.
type Exporter struct {
	Server string // Server is the URL of the monitoring page, such as http://localhost:8222.
	Prefix string // Prefix is the prefix of each metric's name; "gnatsd" if empty, as in the real exporter.
	Client *http.Client
}

// Handler serves /metrics and /healthz.
func (e Exporter) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		text := e.metrics(r.Context())
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = io.WriteString(w, text)
	})
	mux.HandleFunc("GET /healthz", serve.Alive)
	return mux
}

// metrics returns the metrics of the server. If it does not respond, up is 0 and its numbers are missing.
func (e Exporter) metrics(ctx context.Context) string {
	prefix := e.Prefix
	if prefix == "" {
		prefix = "gnatsd"
	}
	var text strings.Builder
	write := func(metric, help string, value any) {
		fmt.Fprintf(&text, "# HELP %s_%s %s\n# TYPE %s_%s gauge\n%s_%s %v\n", prefix, metric, help, prefix, metric, prefix, metric, value)
	}
	write("exporter_stand_in", "1: these metrics come from a stand-in of prometheus-nats-exporter.", 1)
	numbers, err := e.varz(ctx)
	if err != nil {
		write("up", "Whether the server's monitoring page answers.", 0)
		return text.String()
	}
	write("up", "Whether the server's monitoring page answers.", 1)
	for _, g := range gauges() {
		if value, ok := numbers[g.field].(json.Number); ok {
			write(g.metric, g.help, value)
		}
	}
	return text.String()
}

func (e Exporter) varz(ctx context.Context) (map[string]any, error) {
	ctx, cancel := context.WithTimeout(ctx, scrapeTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(e.Server, "/")+"/varz", nil)
	if err != nil {
		return nil, fmt.Errorf("the server's URL: %w", err)
	}
	response, err := e.Client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("asking the server: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answered %s", response.Status)
	}
	decoder := json.NewDecoder(io.LimitReader(response.Body, 1<<20))
	decoder.UseNumber()
	numbers := map[string]any{}
	if err := decoder.Decode(&numbers); err != nil {
		return nil, fmt.Errorf("reading the server's numbers: %w", err)
	}
	return numbers, nil
}
