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
  app-proxy       cap-app-proxy: registers the runtime, keeps Argo CD's token, echoes requests
  app-proxy-init  cap-app-proxy-init: joins certificates
  leader-elector  the leader elector of app-proxy: holds a Lease or waits for it
  argocd-extras   cf-argocd-extras: argo-gateway or event-reporter, by BINARY_NAME
  gitops-operator codefresh-gitops-operator: polls the platform for the work of promotions
  nats-exporter   prometheus-nats-exporter: listens on its port
  git-server      a Git server over HTTP for folders of files
  health          a program that only answers probes
  dial            tries to connect to HOST:PORT, for tests of NetworkPolicies
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
		"no such seed":        {"/standin platform -seed /none", false, "reading the seed: open /none: no such file or directory"},
		"git server":          {"/standin git-server", true, "git-server: give at least one -repository NAME=FOLDER"},
		"git server, no name": {"/standin git-server -repository x", true, `git-server: invalid value "x" for flag -repository: "x" is not of the form NAME=FOLDER`},
		"health":              {"/standin health", true, "health: give at least one -listen ADDRESS"},
		"dial":                {"/standin dial", true, "dial: give HOST:PORT"},
		"dial, refused":       {"/standin dial 127.0.0.1:1", false, "connecting to 127.0.0.1:1: dial tcp 127.0.0.1:1: connect: connection refused"},
		"write":               {"/standin write x", true, "write: give FILE and TEXT"},
		"write, no folder":    {"/standin write /none/x y", false, "writing the output: open /none/x: no such file or directory"},
		"elector":             {"/usr/local/bin/leader-elector --id=a --namespace=b", true, "leader-elector: give -id, -lease-name and -namespace"},
		"init by alias":       {"./init.sh other", true, `app-proxy-init: takes no arguments, and has "other"`},
		"extras":              {"/standin argocd-extras", false, "set the environment variable BINARY_NAME: it is required and has no value"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := run(t, nil, strings.Fields(test.arguments)...)
			require.EqualError(t, err, test.message)
			var wrong command.UsageError
			require.Equal(t, test.usage, asUsage(err, &wrong))
		})
	}
}

// run runs a command in an environment.
func run(t *testing.T, environment map[string]string, arguments ...string) error {
	t.Helper()
	streams := command.Streams{Out: io.Discard, Err: io.Discard, LookupEnv: func(name string) (string, bool) {
		value, set := environment[name]
		return value, set
	}}
	return command.Run(t.Context(), arguments, streams)
}

// A program without a required setting stops, and names the setting.
func TestMissingSettings(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		environment map[string]string
		reason      string
	}{
		"app-proxy":       {nil, "set the environment variable RUNTIME_NAME: it is required and has no value\n"},
		"gitops-operator": {nil, "set the environment variable CF_URL: it is required and has no value\n"},
		"argocd-extras":   {map[string]string{"BINARY_NAME": "sources-server"}, `set the environment variable BINARY_NAME to argo-gateway or event-reporter: it is "sources-server"`},
	} {
		require.ErrorContains(t, run(t, test.environment, "/standin", name), test.reason)
	}
	require.ErrorContains(t, run(t, map[string]string{"BINARY_NAME": "argo-gateway"}, "/standin", "argocd-extras"), "set the environment variable CODEFRESH_TOKEN: ")
	require.ErrorContains(t, run(t, map[string]string{"BINARY_NAME": "event-reporter"}, "/standin", "argocd-extras"), "set the environment variable REPORTER_MODE: ")
}

func asUsage(err error, into *command.UsageError) bool {
	usage, ok := err.(command.UsageError) //nolint:errorlint // commands return it unwrapped
	*into = usage
	return ok
}

func TestWrite(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "out")
	require.NoError(t, command.Run(t.Context(), []string{"/standin", "write", file, "hello"}, command.Streams{}))
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "hello", string(written))
}

var listening = regexp.MustCompile(`address=(127\.0\.0\.1:\d+)`)

// started runs a command until the test ends, and returns the address that it listens on and its log.
func started(t *testing.T, arguments ...string) (string, *output) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	log, ended := &output{}, make(chan error, 1)
	go func() {
		ended <- command.Run(ctx, arguments, command.Streams{Out: io.Discard, Err: log})
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

func TestServers(t *testing.T) {
	t.Parallel()
	platform, _ := started(t, "/standin", "platform", "-listen", "127.0.0.1:0")
	require.Equal(t, "[]\n", get(t, http.DefaultClient, "http://"+platform+"/test/events"))
	repository, _ := started(t, "/standin", "git-server", "-listen", "127.0.0.1:0", "-root", t.TempDir(), "-repository", "apps.git="+t.TempDir())
	require.Contains(t, get(t, http.DefaultClient, "http://"+repository+"/apps.git/info/refs?service=git-upload-pack"), "refs/heads/main")
}
