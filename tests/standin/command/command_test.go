package command_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/certs"
	"gitops-runtime/tests/standin/command"
)

// output is a buffer that a command writes while a test reads.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(part []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(part)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

const usage = `usage: standin COMMAND [FLAGS]
  platform        the control plane: GraphQL, events, frp server plugin
  front           a reverse proxy by host and path, with or without TLS
  app-proxy       cap-app-proxy: health checks and an echo
  leader-elector  the leader elector of app-proxy: holds a Lease or waits for it
  app-proxy-init  cap-app-proxy-init: registers the runtime
  nats-reloader   nats-server-config-reloader: signals a server
  nats-exporter   prometheus-nats-exporter: a few metrics of a server
  git-server      a Git server over HTTP for folders of files
  health          a program that is only asked whether it is well
  write           a step of a workflow: writes FILE with TEXT`

func TestFailures(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		arguments string
		usage     bool
		message   string
	}{
		"no command":          {"/standin", true, usage},
		"unknown command":     {"/standin other", true, "there is no command \"other\"\n" + usage},
		"unknown flag":        {"/standin platform -other", true, "platform: flag provided but not defined: -other"},
		"front without route": {"/standin front", true, "front: give at least one -route HOST[/PATH]=URL"},
		"front, bad route":    {"/standin front -route x", true, `front: invalid value "x" for flag -route: the route "x" is not of the form HOST[/PATH]=URL`},
		"front, no such file": {"/standin front -route *=http://a -tls-cert /none -tls-key /none", false, `reading the TLS certificate "/none" and key "/none": open /none: no such file or directory`},
		"no such seed":        {"/standin platform -seed /none", false, "reading the seed: open /none: no such file or directory"},
		"reloader":            {"/nats-server-config-reloader -pid /x", true, "nats-reloader: give at least one -config FILE"},
		"exporter":            {"/prometheus-nats-exporter -connz -routez -subz -varz -prefix=nats -use_internal_server_id -jsz=all", true, "nats-exporter: give one URL of a server's monitoring page, such as http://localhost:8222"},
		"exporter, no URL":    {"/standin nats-exporter localhost:8222", true, `nats-exporter: "localhost:8222" is no http URL`},
		"git server":          {"/standin git-server", true, "git-server: give at least one -repository NAME=FOLDER"},
		"git server, no name": {"/standin git-server -repository x", true, `git-server: invalid value "x" for flag -repository: "x" is not of the form NAME=FOLDER`},
		"health":              {"/standin health", true, "health: give at least one -listen ADDRESS"},
		"write":               {"/standin write x", true, "write: give FILE and TEXT"},
		"write, no folder":    {"/standin write /none/x y", false, "writing the output: open /none/x: no such file or directory"},
		"elector":             {"/usr/local/bin/leader-elector --id=a --namespace=b", true, "leader-elector: give -id, -lease-name and -namespace"},
		"init by alias":       {"./init.sh", false, "set the environment variables CODEFRESH_URL, USER_TOKEN, RUNTIME_NAME, NAMESPACE, CLUSTER: they are empty"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			streams := command.Streams{Getenv: func(string) string { return "" }, Out: io.Discard, Err: io.Discard}
			err := command.Run(t.Context(), strings.Fields(test.arguments), streams)
			require.EqualError(t, err, test.message)
			var wrong command.UsageError
			require.Equal(t, test.usage, asUsage(err, &wrong))
		})
	}
}

func asUsage(err error, into *command.UsageError) bool {
	usage, ok := err.(command.UsageError) //nolint:errorlint // commands give it unwrapped
	*into = usage
	return ok
}

func TestWrite(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "out")
	require.NoError(t, command.Run(t.Context(), []string{"/standin", "write", file, "hello"}, command.Streams{Getenv: os.Getenv}))
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "hello", string(written))
}

var listening = regexp.MustCompile(`address=(127\.0\.0\.1:\d+)`)

// started runs a command until the test ends, and gives the address it listens on and what it logs.
func started(t *testing.T, arguments ...string) (string, *output) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	log, ended := &output{}, make(chan error, 1)
	go func() {
		ended <- command.Run(ctx, arguments, command.Streams{Getenv: func(string) string { return "" }, Out: io.Discard, Err: log})
	}()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	require.Eventually(t, func() bool { return listening.MatchString(log.String()) }, 10*time.Second, time.Millisecond, log)
	return listening.FindStringSubmatch(log.String())[1], log
}

func TestHealth(t *testing.T) {
	t.Parallel()
	address, _ := started(t, "/standin", "health", "-listen", "127.0.0.1:0")
	require.Equal(t, "ok\n", get(t, http.DefaultClient, "http://"+address+"/healthz?full=true"))
	require.Equal(t, "ok\n", get(t, http.DefaultClient, "http://"+address+"/readyz"))
}

func get(t *testing.T, client *http.Client, address string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return string(body)
}

// The servers of a cluster, wired as there: a TLS front before the platform and app-proxy.
func TestServers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	bundle, err := certs.New("127.0.0.1")
	require.NoError(t, err)
	certFile, keyFile := filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key")
	require.NoError(t, os.WriteFile(certFile, bundle.Cert, 0o600))
	require.NoError(t, os.WriteFile(keyFile, bundle.Key, 0o600))

	platform, _ := started(t, "/standin", "platform", "-listen", "127.0.0.1:0")
	proxy, proxyLog := started(t, "/standin", "app-proxy", "-listen", "127.0.0.1:0")
	exporter, _ := started(t, "/prometheus-nats-exporter", "-a", "127.0.0.1", "-p", "0", "-connz", "-jsz=all", "http://127.0.0.1:1")
	repository, _ := started(t, "/standin", "git-server", "-listen", "127.0.0.1:0", "-repository", "apps.git="+folder)
	front, _ := started(t, "/standin", "front", "-listen", "127.0.0.1:0", "-tls-cert", certFile, "-tls-key", keyFile,
		"-route", "*/app-proxy/=http://"+proxy, "-route", "*/metrics=http://"+exporter, "-route", "*/apps.git/=http://"+repository, "-route", "*=http://"+platform)

	transport := &http.Transport{TLSClientConfig: bundle.Client()}
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport}
	require.Equal(t, "[]\n", get(t, client, "https://"+front+"/test/events"))
	require.Equal(t, "ok\n", get(t, client, "https://"+front+"/app-proxy/health"))
	require.Contains(t, get(t, client, "https://"+front+"/metrics"), "gnatsd_up 0\n")
	require.Contains(t, get(t, client, "https://"+front+"/apps.git/info/refs?service=git-upload-pack"), "refs/heads/main")
	require.Contains(t, proxyLog.String(), "this is a stand-in of cap-app-proxy")
}
