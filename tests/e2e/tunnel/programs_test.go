package tunnel_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/images/gobuild"
	"gitops-runtime/tests/router"
)

// output is a started program and its output so far.
type output struct {
	pid  int
	lock sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.lock.Lock()
	defer o.lock.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.lock.Lock()
	defer o.lock.Unlock()
	return o.text.String()
}

// frp contains the paths of frp's programs.
type frp struct{ client, server, published string }

// build builds frp's programs once; the folder is deleted with the process's temporary files.
var build = sync.OnceValues(func() (frp, error) {
	root, err := gomodule.Root()
	if err != nil {
		return frp{}, err
	}
	folder, err := os.MkdirTemp("", "frp-")
	if err != nil {
		return frp{}, err
	}
	built := frp{client: filepath.Join(folder, "frpc"), server: filepath.Join(folder, "frps"), published: filepath.Join(folder, "frps-published")}
	tools := gobuild.Toolchain{Root: root, Cache: filepath.Join(folder, "cache")}
	client, server, published := images.TunnelPrograms()
	for path, program := range map[string]gobuild.Program{built.client: client, built.server: server, built.published: published} {
		if err := tools.Build(context.Background(), program, path); err != nil {
			return frp{}, err
		}
	}
	return built, nil
})

func programs(t testing.TB) frp {
	t.Helper()
	built, err := build()
	require.NoError(t, err)
	return built
}

// start runs a program until the end of the test, and returns its output.
func start(t testing.TB, path string, environment []string, args ...string) *output {
	t.Helper()
	said := &output{}
	ctx, end := context.WithCancel(context.Background())
	program := exec.CommandContext(ctx, path, args...)
	program.Cancel = func() error { return program.Process.Signal(syscall.SIGTERM) } // nginx also ends its workers
	program.WaitDelay = 5 * time.Second
	program.Env = append(os.Environ(), environment...)
	program.Stdout, program.Stderr = said, said
	require.NoError(t, program.Start())
	said.pid = program.Process.Pid
	t.Cleanup(func() {
		end()
		_ = program.Wait()
		if t.Failed() {
			t.Logf("%s: %s", filepath.Base(path), said)
		}
	})
	return said
}

// command runs a program and waits until it exits.
func command(path string, environment []string, args ...string) error {
	program := exec.Command(path, args...)
	program.Env = append(os.Environ(), environment...)
	if said, err := program.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(path), err, said)
	}
	return nil
}

// startNginx runs nginx with server blocks, and its files in a folder.
func startNginx(t testing.TB, folder, servers string) *output {
	t.Helper()
	machine, err := router.ThisMachine()
	require.NoError(t, err)
	nginx, err := machine.Find(t.Context())
	require.NoError(t, err)
	config := fmt.Sprintf("pid %[1]s/pid;\nworker_rlimit_nofile 16384;\nevents { worker_connections 8192; }\nhttp {\naccess_log off;\nclient_body_temp_path %[1]s/b;\nproxy_temp_path %[1]s/p;\n"+
		"fastcgi_temp_path %[1]s/f;\nuwsgi_temp_path %[1]s/u;\nscgi_temp_path %[1]s/s;\n%[2]s\n}\n", folder, servers)
	path := filepath.Join(folder, "nginx.conf")
	require.NoError(t, os.WriteFile(path, []byte(config), 0o600))
	return start(t, nginx, nil, "-e", "stderr", "-p", folder, "-c", path, "-g", "daemon off; master_process off;")
}

func freePort(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	return port
}

func status(url string, want int) error {
	response, err := http.Get(url) //nolint:noctx // ends with its server
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	if response.StatusCode != want {
		return fmt.Errorf("%s: got %d, want %d", url, response.StatusCode, want)
	}
	return nil
}

// eventually waits until a condition returns nil.
func eventually(t testing.TB, what string, condition func() error) {
	t.Helper()
	deadline := time.Now().Add(waited)
	for {
		err := condition()
		if err == nil {
			return
		}
		require.False(t, time.Now().After(deadline), "%s: %v", what, err)
		time.Sleep(100 * time.Millisecond)
	}
}

// TestMain removes the programs.
func TestMain(m *testing.M) {
	code := m.Run()
	if built, err := build(); err == nil {
		_ = os.RemoveAll(filepath.Dir(built.client))
	}
	os.Exit(code)
}
