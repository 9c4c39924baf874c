package command

import (
	"context"
	"fmt"
	"net/http"
)

// metrics returns a handler of /metrics with one metric that names the program, for Services and monitors that expect the port.
func metrics(program string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		fmt.Fprintf(w, "# TYPE standin_info gauge\nstandin_info{program=%q} 1\n", program)
	})
	return mux
}

// runExporter listens on the port at which Argo Events v1.9.10 expects the exporter (pkg/reconciler/eventbus/installer/jetstream.go); its flags
// select metrics of the real program.
func runExporter(ctx context.Context, _ []string, streams Streams) error {
	return listenOn(ctx, "nats-exporter", ":7777", metrics("nats-exporter"), streams)
}
