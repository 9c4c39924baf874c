package tunnel_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/standin/certs"
)

// servePublished runs frps v0.44.0, of which the platform's server is a build that also takes wss, behind a TLS front that takes it. The keys are those
// of conf/frps_full.ini of that version. It returns the server's port, and what starts frps.
func servePublished(t *testing.T, certificate certs.Bundle, pluginURL string) (port string, run func() *output) {
	t.Helper()
	control, vhost, https := freePort(t), freePort(t), freePort(t)
	config := file(t, "frps.ini", fmt.Appendf(nil, `[common]
bind_addr = 127.0.0.1
bind_port = %s
vhost_http_port = %s
subdomain_host = tunnels.local
disable_log_color = true

[plugin.authorize]
addr = %s
path = /newProxy
ops = NewProxy
`, control, vhost, strings.TrimPrefix(pluginURL, "http://")))
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "tls.crt"), certificate.Cert, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "tls.key"), certificate.Key, 0o600))
	startNginx(t, folder, fmt.Sprintf(`server {
listen 127.0.0.1:%[1]s ssl;
ssl_certificate %[2]s/tls.crt;
ssl_certificate_key %[2]s/tls.key;
proxy_http_version 1.1;
proxy_read_timeout 1h;
location = /~!frp { proxy_pass http://127.0.0.1:%[3]s; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade; }
location / { proxy_pass http://127.0.0.1:%[4]s; proxy_set_header Host $host; }
}`, https, folder, control, vhost))
	return https, func() *output { return start(t, programs(t).published, nil, "-c", config) }
}

// The client logs in to a server of the platform's generation by wss, is authorized by the runtime's token, serves requests, stays connected while idle,
// and connects again after the server was away.
func TestTunnelToTheGenerationOfThePlatform(t *testing.T) {
	t.Parallel()
	const idle = 45 * time.Second // longer than heartbeat_interval, 30 s, of frpc (pkg/config/legacy of frp v0.70.0)
	certificate := bundle(t)
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%s %s", r.Host, r.URL.Path) }))
	t.Cleanup(target.Close)
	_, port, err := net.SplitHostPort(target.Listener.Addr().String())
	require.NoError(t, err)
	url, seen := plugin(t)
	front, run := servePublished(t, certificate, url)
	server := run()
	said := connect(t, front, certificate.CA, certificate.CA, port)
	through := func() error { return throughTunnel(certificate.CA, front) }
	eventually(t, "a request comes through the tunnel", through)
	assert.Equal(t, token, <-seen)

	time.Sleep(idle)
	require.NoError(t, through(), "after %s without a request", idle)
	assert.Equal(t, 1, strings.Count(said.String(), "login to server success"), "frpc logged in again while idle")

	require.NoError(t, syscall.Kill(server.pid, syscall.SIGTERM))
	eventually(t, "no request comes through while the server is away", func() error {
		if through() == nil {
			return fmt.Errorf("it came through")
		}
		return nil
	})
	run()
	eventually(t, "a request comes through after the server is back", through)
	assert.Equal(t, token, <-seen)
	assert.NotContains(t, said.String(), token)
}
