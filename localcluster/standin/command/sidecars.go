package command

import (
	"context"
	"flag"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"gitops-runtime/localcluster/standin/natssidecar"
)

// runReloader parses the flags that Argo Events v1.9.10 sets (-pid, -config; pkg/reconciler/eventbus/installer/jetstream.go).
func runReloader(ctx context.Context, args []string, streams Streams) error {
	flags := flag.NewFlagSet("nats-reloader", flag.ContinueOnError)
	reloader := natssidecar.Reloader{Interval: 2 * time.Second, Signal: natssidecar.Hangup, Log: streams.log()}
	flags.StringVar(&reloader.PIDFile, "pid", "/var/run/nats/nats.pid", "file with the server's process id")
	flags.Func("config", "file to watch; may be given several times", func(file string) error {
		reloader.Files = append(reloader.Files, file)
		return nil
	})
	if _, err := parse(flags, args); err != nil {
		return err
	}
	if len(reloader.Files) == 0 {
		return UsageError{Message: "nats-reloader: give at least one -config FILE"}
	}
	streams.log().InfoContext(ctx, "this is a stand-in of nats-server-config-reloader", "pid", reloader.PIDFile, "config", reloader.Files)
	return reloader.Run(ctx)
}

// runExporter parses the flags that Argo Events v1.9.10 sets (the same file); those that select more metrics have no effect. The default of -port is
// 7777, as in the real exporter.
func runExporter(ctx context.Context, args []string, streams Streams) error {
	flags := flag.NewFlagSet("nats-exporter", flag.ContinueOnError)
	port := flags.Int("port", 7777, "port")
	flags.IntVar(port, "p", 7777, "port")
	address := flags.String("addr", "0.0.0.0", "address")
	flags.StringVar(address, "a", "0.0.0.0", "address")
	prefix := flags.String("prefix", "", "start of each metric's name")
	for _, ignored := range []string{"connz", "routez", "subz", "varz", "use_internal_server_id", "use_internal_server_name", "gatewayz", "leafz"} {
		flags.Bool(ignored, false, "read and without effect")
	}
	flags.String("jsz", "", "read and without effect")
	rest, err := parse(flags, args)
	if err != nil {
		return err
	}
	if len(rest) != 1 {
		return UsageError{Message: "nats-exporter: give one URL of a server's monitoring page, such as http://localhost:8222"}
	}
	if target, err := url.Parse(rest[0]); err != nil || target.Scheme != "http" || target.Host == "" {
		return UsageError{Message: "nats-exporter: " + strconv.Quote(rest[0]) + " is not an http URL"}
	}
	streams.log().InfoContext(ctx, "this is a stand-in of prometheus-nats-exporter", "server", rest[0])
	exporter := natssidecar.Exporter{Server: rest[0], Prefix: *prefix, Client: &http.Client{}}
	return listenOn(ctx, "nats-exporter", net.JoinHostPort(*address, strconv.Itoa(*port)), nil, exporter.Handler(), streams)
}
