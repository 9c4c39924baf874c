package router_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"gitops-runtime/tests/render"
	"gitops-runtime/tests/router"
)

// target is a program behind the router. It records the requests it receives.
type target struct {
	*httptest.Server
	mutex sync.Mutex
	seen  []*http.Request
}

// serve starts a target that answers with its name.
func serve(t *testing.T, name string) *target {
	t.Helper()
	made := &target{}
	made.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		made.mutex.Lock()
		made.seen = append(made.seen, r)
		made.mutex.Unlock()
		w.Header().Set("Set-Cookie", "session=of-"+name)
		switch {
		case strings.Contains(r.URL.Path, "/answer-"):
			answerBadly(w, r.URL.Path)
		case strings.HasSuffix(r.URL.Path, "/stream"):
			stream(w, r)
		case r.Header.Get("Upgrade") != "":
			router.Echo(w)
		default:
			_, _ = io.WriteString(w, name)
		}
	}))
	t.Cleanup(made.Close)
	return made
}

// stream sends an event and keeps the connection open.
func stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "data: first\n\n")
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

func (t *target) port() string {
	address, _ := url.Parse(t.URL)
	return address.Port()
}

// requests returns the requests to the target since the last call.
func (t *target) requests() []*http.Request {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	seen := t.seen
	t.seen = nil
	return seen
}

// started is nginx with the chart's configuration, and the programs it routes to.
type started struct {
	address                     string
	pid                         int
	names                       *names
	appProxy, workflows, events *target
}

// known returns the names of the cluster's DNS. The Service far-eventsource-svc of the namespace other is a tenant's.
func known() []string {
	return []string{
		"cap-app-proxy.codefresh.svc.cluster.local",
		"codefresh-argo-workflows-server.codefresh.svc.cluster.local",
		"argo-server.codefresh.svc.cluster.local",
		"github-eventsource-svc.codefresh.svc.cluster.local",
		"far-eventsource-svc.other.svc.cluster.local",
	}
}

// start runs nginx with the configuration that the chart renders for values in tunnel mode. Only addresses differ: where it listens, the name
// server, the ports of targets, the folder for its files.
func start(t *testing.T, set map[string]string, setJSON map[string]string) *started {
	t.Helper()
	machine, err := router.ThisMachine()
	require.NoError(t, err)
	nginx, err := machine.Find(t.Context())
	require.NoError(t, err)

	made := &started{names: serveNames(t, known()...), appProxy: serve(t, "app-proxy"), workflows: serve(t, "workflows"), events: serve(t, "events")}
	folder := t.TempDir()
	made.address = freeAddress(t)
	config := filepath.Join(folder, "nginx.conf")
	require.NoError(t, os.WriteFile(config, []byte(made.adapt(t, configOf(t, set, setJSON), folder)), 0o600))
	var log bytes.Buffer
	command := exec.Command(nginx, "-e", "stderr", "-p", folder, "-c", config, "-g", "daemon off; master_process off;")
	command.Stdout, command.Stderr = io.Discard, &log
	require.NoError(t, command.Start())
	made.pid = command.Process.Pid
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		if t.Failed() {
			t.Logf("nginx: %s", log.String())
		}
	})
	require.Eventually(t, func() bool {
		status, _, err := made.raw("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		return err == nil && status == http.StatusOK
	}, 10*time.Second, 20*time.Millisecond, "nginx does not answer")
	return made
}

// configOf returns nginx.conf of the rendered chart.
func configOf(t *testing.T, set, setJSON map[string]string) string {
	t.Helper()
	objects := render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}, Set: set, SetJSON: setJSON}.Objects(t)
	config, err := render.As[corev1.ConfigMap](render.Find(objects, "ConfigMap", "internal-router-config"))
	require.NoError(t, err)
	return config.Data["nginx.conf"]
}

func (s *started) adapt(t *testing.T, config, folder string) string {
	t.Helper()
	for _, change := range [][2]string{
		{"listen 8080;", "listen " + s.address + ";"},
		{"resolver kube-dns.kube-system.svc.cluster.local", "resolver " + s.names.address},
		{":3017;", ":" + s.appProxy.port() + ";"},
		{":2746;", ":" + s.workflows.port() + ";"},
		{"$event_namespace.svc.cluster.local;", "$event_namespace.svc.cluster.local:" + s.events.port() + ";"},
		{"/tmp/", folder + "/"},
		{"/dev/stdout router", "off"},
		{"worker_shutdown_timeout 45s;", ""},
	} {
		config = strings.ReplaceAll(config, change[0], change[1])
	}
	require.NotContains(t, config, "kube-dns")
	return config
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	return listener.Addr().String()
}

// raw sends bytes unchanged, and reads one response.
func (s *started) raw(request string) (status int, body string, err error) {
	response, err := s.exchange(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response.StatusCode, string(content), err
}

// exchange sends bytes unchanged, and reads the head of one response. The caller closes its body, and with it the connection.
func (s *started) exchange(request string) (*http.Response, error) {
	connection, err := net.DialTimeout("tcp", s.address, time.Second)
	if err != nil {
		return nil, err
	}
	if err := connection.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return nil, err
	}
	if _, err := io.WriteString(connection, request); err != nil {
		return nil, err
	}
	method, _, _ := strings.Cut(request, " ")
	response, err := http.ReadResponse(bufio.NewReader(connection), &http.Request{Method: method})
	if err != nil {
		_ = connection.Close()
		return nil, err
	}
	response.Body = closing{response.Body, connection}
	return response, nil
}

type closing struct {
	io.Reader
	connection net.Conn
}

func (c closing) Close() error { return c.connection.Close() }

// get returns a request for a path, with further headers.
func get(path string, headers ...string) string {
	return fmt.Sprintf("GET %s HTTP/1.1\r\nHost: runtime.example.com\r\nConnection: close\r\n%s\r\n", path, lines(headers))
}

func lines(headers []string) string {
	var text strings.Builder
	for _, header := range headers {
		text.WriteString(header + "\r\n")
	}
	return text.String()
}
