package tunnel_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/render"
	"gitops-runtime/tests/router"
)

// path is a path that the router routes to app-proxy, which the target replaces.
const path = "/app-proxy/hello"

// page is the response of the target: a page of 1 KiB.
var page = bytes.Repeat([]byte("x"), 1<<10)

// serveTarget starts the target of all routes: it responds to requests with a page, sends an event per second on a stream, and echoes what it receives
// on an upgraded connection.
func serveTarget(t testing.TB) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Upgrade") != "":
			router.Echo(w)
		case strings.HasSuffix(r.URL.Path, "/stream"):
			events(w, r)
		default:
			_, _ = w.Write(page)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	flush := http.NewResponseController(w).Flush
	for second := time.NewTicker(time.Second); ; {
		if _, err := io.WriteString(w, "data: tick\n\n"); err != nil || flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-second.C:
		}
	}
}

// route is a path to the target: the address to connect to, the TLS settings, and the processes in between.
type route struct {
	name    string
	address string
	tls     *tls.Config // nil for plain HTTP
	host    string
	between []int
}

// dial connects to the start of the route.
func (r route) dial(ctx context.Context) (net.Conn, error) {
	connection, err := (&net.Dialer{Timeout: waited}).DialContext(ctx, "tcp", r.address)
	if err != nil || r.tls == nil {
		return connection, err
	}
	secured := tls.Client(connection, r.tls)
	return secured, secured.HandshakeContext(ctx)
}

func (r route) client() *http.Client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return r.dial(ctx) }
	return &http.Client{Timeout: waited, Transport: &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 100}}
}

// routes returns the routes to the target: through a plain nginx, through the router, and through the tunnel and the router. All run at the same
// time.
func routes(t testing.TB) []route {
	t.Helper()
	target := strings.TrimPrefix(serveTarget(t).URL, "http://")
	plain := nginx(t, "worker_processes 2;\nworker_rlimit_nofile 16384;\nevents { worker_connections 8192; }\nhttp {\naccess_log off;\nclient_body_temp_path FOLDER/b;\nproxy_temp_path FOLDER/p;\nfastcgi_temp_path FOLDER/f;\n"+
		"uwsgi_temp_path FOLDER/u;\nscgi_temp_path FOLDER/s;\nserver {\nlisten 127.0.0.1:PORT;\nlocation / {\n"+
		"proxy_pass http://"+target+";\nproxy_http_version 1.1;\nproxy_set_header Upgrade $http_upgrade;\nproxy_set_header Connection $http_connection;\nproxy_read_timeout 3600s;\n}\n}\n}\n")
	plain.name = "plain nginx"

	objects := render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}}.Objects(t)
	routed := nginx(t, data(t, objects, "internal-router-config", "nginx.conf",
		"listen 8080;", "listen 127.0.0.1:PORT;", "http://cap-app-proxy.codefresh.svc.cluster.local:3017", "http://"+target, "resolver kube-dns.kube-system.svc.cluster.local", "resolver 127.0.0.1",
		"/dev/stdout", "/dev/null", "pid /tmp/nginx.pid;", "", "/tmp/", "FOLDER/"))
	routed.name = "router"

	own := bundle(t)
	url, _ := plugin(t)
	_, port, err := net.SplitHostPort(routed.address)
	require.NoError(t, err)
	server := serve(t, own, url)
	client := connect(t, server.port, own.CA, own.CA, port)
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(own.CA)
	tunnel := route{
		name: "tunnel", address: "127.0.0.1:" + server.port, host: host, between: append(append(server.processes, client.pid), routed.between...),
		tls: &tls.Config{RootCAs: trusted, ServerName: host, MinVersion: tls.VersionTLS12},
	}
	all := []route{plain, routed, tunnel}
	for _, each := range all {
		eventually(t, each.name+" answers", func() error { return each.once(each.client()) })
	}
	return all
}

// nginx runs nginx with a complete configuration, in which PORT and FOLDER are replaced.
func nginx(t testing.TB, config string) route {
	t.Helper()
	machine, err := router.ThisMachine()
	require.NoError(t, err)
	program, err := machine.Find(t.Context())
	require.NoError(t, err)
	folder, port := t.TempDir(), freePort(t)
	text := "pid " + folder + "/pid;\n" + strings.NewReplacer("PORT", port, "FOLDER", folder).Replace(config)
	made := start(t, program, nil, "-e", "stderr", "-p", folder, "-c", file(t, "nginx.conf", []byte(text)), "-g", "daemon off;")
	address := "127.0.0.1:" + port
	eventually(t, "nginx listens", func() error {
		connection, err := net.Dial("tcp", address) //nolint:noctx // to this machine
		if err != nil {
			return err
		}
		return connection.Close()
	})
	return route{address: address, host: "runtime.example.com", between: append(children(t, made.pid), made.pid)}
}

// children returns the processes that a process has started.
func children(t testing.TB, pid int) []int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	require.NoError(t, err)
	var list []int
	for each := range strings.FieldsSeq(string(text)) {
		child, err := strconv.Atoi(each)
		require.NoError(t, err)
		list = append(list, child)
	}
	return list
}

// spent returns the CPU time of the processes so far and their peak memory.
func (r route) spent(t testing.TB) (processor time.Duration, memory float64) {
	t.Helper()
	const tick = 10 * time.Millisecond // sysconf(_SC_CLK_TCK) is 100 on Linux
	for _, pid := range r.between {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		require.NoError(t, err)
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		for _, field := range fields[11:13] { // utime and stime: proc_pid_stat(5)
			ticks, err := strconv.Atoi(field)
			require.NoError(t, err)
			processor += time.Duration(ticks) * tick
		}
		text, err = os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		require.NoError(t, err)
		_, rest, _ = strings.Cut(string(text), "VmHWM:")
		var kilobytes float64
		_, err = fmt.Sscan(rest, &kilobytes)
		require.NoError(t, err)
		memory += kilobytes / 1024
	}
	return processor, memory
}

// rate is the result of requests: their number per second, the 99th percentile of their duration, and the CPU time of the programs in between for each.
type rate struct {
	perSecond, processor float64
	slow                 time.Duration
}

// hurry sends requests with a number of clients, each of which sends the next request as soon as it has the response.
func (r route) hurry(t testing.TB, clients int, lasting time.Duration) rate {
	t.Helper()
	before, _ := r.spent(t)
	client := r.client()
	defer client.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(t.Context(), lasting)
	defer cancel()
	took := make([][]time.Duration, clients)
	failed := make([]error, clients)
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() {
			for ctx.Err() == nil && failed[i] == nil {
				begun := time.Now()
				if failed[i] = r.once(client); failed[i] == nil {
					took[i] = append(took[i], time.Since(begun))
				}
			}
		})
	}
	group.Wait()
	require.NoError(t, errors.Join(failed...), r.name)
	after, _ := r.spent(t)
	all := slices.Concat(took...)
	slices.Sort(all)
	return rate{
		perSecond: float64(len(all)) / lasting.Seconds(), slow: all[len(all)*99/100],
		processor: float64((after - before).Microseconds()) / float64(len(all)),
	}
}

func (r route) once(client *http.Client) error {
	response, err := client.Get("http://" + r.host + path) //nolint:noctx // the client has a timeout; dial encrypts where the route does
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && (response.StatusCode != http.StatusOK || !bytes.Equal(body, page)) {
		err = fmt.Errorf("%s answers %d with %d bytes", r.name, response.StatusCode, len(body))
	}
	return err
}

// hold keeps upgraded connections and event streams open, the same number of each, and returns those that broke or stopped sending.
func (r route) hold(t testing.TB, count int, lasting time.Duration) []error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), lasting+2*waited)
	defer cancel()
	until := time.Now().Add(lasting)
	lost := make([]error, 2*count)
	begin := make(chan struct{}, 50) // the number of concurrent handshakes
	var group sync.WaitGroup
	for i := range lost {
		group.Go(func() {
			session := r.webSocket
			if i%2 == 1 {
				session = r.stream
			}
			begin <- struct{}{}
			if err := session(ctx, until, func() { <-begin }); err != nil {
				lost[i] = fmt.Errorf("%s: session %d: %w", r.name, i, err)
			}
		})
	}
	group.Wait()
	return slices.DeleteFunc(lost, func(err error) bool { return err == nil })
}

// open sends a request and reads the head of the response; begun is called afterwards.
func (r route) open(ctx context.Context, to string, want int, begun func(), headers ...string) (net.Conn, *bufio.Reader, error) {
	defer begun()
	connection, err := r.dial(ctx)
	if err != nil {
		return nil, nil, err
	}
	if err := connection.SetDeadline(time.Now().Add(waited)); err != nil {
		return nil, nil, err
	}
	if _, err := fmt.Fprintf(connection, "GET %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", to, r.host, strings.Join(headers, "")); err != nil {
		return nil, nil, err
	}
	reader := bufio.NewReaderSize(connection, 512)
	response, err := http.ReadResponse(reader, nil)
	if err == nil && response.StatusCode != want {
		err = fmt.Errorf("got %d in place of %d", response.StatusCode, want)
	}
	return connection, reader, err
}

// webSocket sends a line each second, and expects it back before the deadline.
func (r route) webSocket(ctx context.Context, until time.Time, begun func()) error {
	connection, reader, err := r.open(ctx, path, http.StatusSwitchingProtocols, begun, "Connection: upgrade\r\n", "Upgrade: websocket\r\n")
	if connection != nil {
		defer connection.Close()
	}
	if err != nil {
		return err
	}
	for n := 0; time.Now().Before(until); n++ {
		line := fmt.Sprintf("line %d\n", n)
		if err := connection.SetDeadline(time.Now().Add(waited)); err != nil {
			return err
		}
		if _, err := io.WriteString(connection, line); err != nil {
			return err
		}
		if back, err := reader.ReadString('\n'); err != nil || back != line {
			return fmt.Errorf("sent %q, got %q: %w", line, back, err)
		}
		time.Sleep(time.Second)
	}
	return nil
}

// stream reads the events of the target, one per second.
func (r route) stream(ctx context.Context, until time.Time, begun func()) error {
	connection, reader, err := r.open(ctx, path+"/stream", http.StatusOK, begun)
	if connection != nil {
		defer connection.Close()
	}
	if err != nil {
		return err
	}
	for time.Now().Before(until) {
		if err := connection.SetDeadline(time.Now().Add(waited)); err != nil {
			return err
		}
		if _, err := reader.ReadString('\n'); err != nil {
			return err
		}
	}
	return nil
}
