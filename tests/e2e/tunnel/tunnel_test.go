package tunnel_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"gitops-runtime/tests/render"
	"gitops-runtime/tests/standin/certs"
)

const (
	token  = "runtime-token"
	host   = "acc1-production.tunnels.local"
	waited = 30 * time.Second
)

// requests receives the requests to the server plugin: the metadata Authorization of each tunnel.
type requests chan string

// plugin starts a server plugin that accepts every tunnel, and returns its URL and its requests.
func plugin(t testing.TB) (string, requests) {
	t.Helper()
	seen := make(requests, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Op      string `json:"op"`
			Content struct {
				Metas map[string]string `json:"metas"`
			} `json:"content"`
		}
		if r.URL.Path != "/newProxy" || json.NewDecoder(r.Body).Decode(&request) != nil || request.Op != "NewProxy" {
			http.Error(w, "not NewProxy", http.StatusBadRequest)
			return
		}
		seen <- request.Content.Metas["Authorization"]
		_, _ = io.WriteString(w, `{"unchange": true}`)
	}))
	t.Cleanup(server.Close)
	return server.URL, seen
}

// bundle creates an authority and a certificate for the server and the runtime's public host.
func bundle(t testing.TB) certs.Bundle {
	t.Helper()
	made, err := certs.New("127.0.0.1", "*.tunnels.local")
	require.NoError(t, err)
	return made
}

// file writes a file into a separate folder and returns its path.
func file(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}

// data returns a key of a rendered ConfigMap with texts replaced, each of which has to exist.
func data(t testing.TB, objects []render.Object, name, key string, replacements ...string) string {
	t.Helper()
	config, err := render.As[corev1.ConfigMap](render.Find(objects, "ConfigMap", name))
	require.NoError(t, err)
	return replaced(t, config.Data[key], replacements...)
}

func replaced(t testing.TB, text string, replacements ...string) string {
	t.Helper()
	for i := 0; i < len(replacements); i += 2 {
		require.Contains(t, text, replacements[i])
		text = strings.ReplaceAll(text, replacements[i], replacements[i+1])
	}
	return text
}

// tunnelServer is a server for tunnels and for requests to runtimes: the port for both, and its processes.
type tunnelServer struct {
	port      string
	processes []int
}

// serve runs frps and nginx as charts/tunnel-server configures them, with a certificate.
func serve(t testing.TB, certificate certs.Bundle, pluginURL string) tunnelServer {
	t.Helper()
	objects := render.Release{Chart: "tunnel-server", Name: "t", Set: map[string]string{
		"fullnameOverride": "t", "subdomainHost": "tunnels.local", "tls.secretName": "tls", "plugin.url": pluginURL,
	}}.Objects(t)
	control, vhost, health, probe, https := freePort(t), freePort(t), freePort(t), freePort(t), freePort(t)
	frps := data(t, objects, "t-config", "frps.toml", "= 7000", "= "+control, "= 7080", "= "+vhost, "= 7500", "= "+health)
	server := start(t, programs(t).server, nil, "-c", file(t, "frps.toml", []byte(frps)))

	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "tls.crt"), certificate.Cert, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "tls.key"), certificate.Key, 0o600))
	front := data(t, objects, "t-config", "front.conf",
		"listen 8443", "listen 127.0.0.1:"+https, "listen 8081", "listen 127.0.0.1:"+probe,
		":7000;", ":"+control+";", ":7080;", ":"+vhost+";", ":7500/", ":"+health+"/", "/etc/tunnel-server-tls", folder)
	nginx := startNginx(t, folder, front)
	eventually(t, "the probe of the tunnel server succeeds", func() error {
		return status("http://127.0.0.1:"+probe+"/healthz", http.StatusOK)
	})
	return tunnelServer{port: https, processes: []int{server.pid, nginx.pid}}
}

// connect runs frpc with the configuration of charts/tunnel-client, connected to a port, with the certificates of the platform and those of the image;
// it returns frpc's output.
func connect(t testing.TB, port string, platform, public []byte, target string) *output {
	t.Helper()
	set := map[string]string{"tunnelServer.host": "127.0.0.1", "tunnelServer.port": port, "target.host": "127.0.0.1", "target.port": target}
	if platform != nil {
		set["global.codefresh.tls.caCerts.secretKeyRef.name"] = "ca"
	}
	objects := render.Release{Chart: "tunnel-client", Files: []string{"tunnel"}, Set: set}.Objects(t)
	roots := filepath.Join(t.TempDir(), "absent.crt")
	if public != nil {
		roots = file(t, "roots.crt", public)
	}
	config := data(t, objects, "codefresh-tunnel-client-config", "frpc.ini", "admin_port = 7400", "admin_port = "+freePort(t))
	if platform == nil {
		config = replaced(t, config, "/etc/ssl/certs/ca-certificates.crt", roots)
	} else {
		config = replaced(t, config, "/etc/frp-trusted/ca.crt", joined(t, objects, roots, file(t, "ca.crt", platform)))
	}
	path := file(t, "frpc.ini", []byte(config))
	said := start(t, programs(t).client, []string{"AUTHORIZATION=" + token}, "-c", path)
	eventually(t, "the probe of the tunnel client succeeds", func() error {
		return command(programs(t).client, []string{"AUTHORIZATION=" + token}, "status", "-c", path)
	})
	return said
}

// joined runs the script of the init container, with paths of this machine, and returns the path of its result.
func joined(t testing.TB, objects []render.Object, roots, platform string) string {
	t.Helper()
	deployment, err := render.As[appsv1.Deployment](render.Find(objects, "Deployment", "codefresh-tunnel-client"))
	require.NoError(t, err)
	require.Len(t, deployment.Spec.Template.Spec.InitContainers, 1)
	script := deployment.Spec.Template.Spec.InitContainers[0].Command
	require.Equal(t, []string{"sh", "-ec"}, script[:2])
	result := filepath.Join(t.TempDir(), "joined.crt")
	text := replaced(t, script[2], "/etc/ssl/certs/ca-certificates.crt", roots, "/etc/frp-trusted/ca.crt", result, "/etc/platform-ca/ca-bundle.crt", platform)
	require.NoError(t, command("sh", nil, "-ec", text))
	return result
}

func TestTunnelToAServerThatIsTrusted(t *testing.T) {
	t.Parallel()
	own, other := bundle(t), bundle(t)
	for name, trust := range map[string]struct{ platform, public []byte }{
		"by the platform's CA":    {own.CA, other.CA},
		"by the image's roots":    {nil, own.CA},
		"by roots and another CA": {other.CA, own.CA},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%s %s", r.Host, r.URL.Path) }))
			t.Cleanup(target.Close)
			_, port, err := net.SplitHostPort(target.Listener.Addr().String())
			require.NoError(t, err)
			url, seen := plugin(t)
			server := serve(t, own, url)
			connect(t, server.port, trust.platform, trust.public, port)
			select {
			case got := <-seen:
				assert.Equal(t, token, got)
			case <-time.After(waited):
				require.Fail(t, "the plugin received no request")
			}
			eventually(t, "a request comes through the tunnel", func() error { return throughTunnel(own.CA, server.port) })
		})
	}
}

func TestSecurityReview2TokenIsNotSentToAServerThatIsNotTrusted(t *testing.T) {
	t.Parallel()
	untrusted, own := bundle(t), bundle(t)
	for name, tc := range map[string]struct {
		platform, public []byte
		want             string
	}{
		"another authority than the platform's": {own.CA, own.CA, "certificate signed by unknown authority"},
		"another authority than the image's":    {nil, own.CA, "certificate signed by unknown authority"},
		"an image without roots":                {nil, nil, "no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, seen := plugin(t)
			said := connect(t, serve(t, untrusted, url).port, tc.platform, tc.public, "1")
			// three attempts
			eventually(t, "frpc refuses the server", func() error {
				if strings.Count(said.String(), tc.want) < 3 {
					return fmt.Errorf("frpc: %s", said)
				}
				return nil
			})
			assert.Empty(t, seen, "the plugin received a request, so the token was sent")
			assert.NotContains(t, said.String(), "login to server success")
			assert.NotContains(t, said.String(), token)
		})
	}
}

// throughTunnel sends a request to the runtime's public host.
func throughTunnel(ca []byte, port string) error {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(ca)
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, "127.0.0.1:"+port)
		},
	}}
	response, err := client.Get("https://" + host + "/app-proxy/hello")
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if want := host + " /app-proxy/hello"; string(body) != want {
		return fmt.Errorf("got %d %q, want %q", response.StatusCode, body, want)
	}
	return nil
}
