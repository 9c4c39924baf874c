package validatecmd_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/validatecmd"
)

// runTest runs the program as the pod of a test hook does, with this API server; nil means that the pod has no service account.
func runTest(t *testing.T, api http.HandlerFunc, env map[string]string, args ...string) (code int, out, failed string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	system := validatecmd.System{
		In: strings.NewReader(""), Out: &stdout, Err: &stderr, Version: "1.2.3", Now: time.Now,
		Getenv: func(name string) string { return env[name] },
		Connect: func(context.Context, validatecmd.Connection) (validatecmd.Cluster, string, error) {
			if api == nil {
				return nil, "", errors.New("this is not a pod with a service account")
			}
			server := httptest.NewServer(api)
			t.Cleanup(server.Close)
			client, err := cluster.New(server.URL, server.Client())
			return client, "", err
		},
	}
	code = validatecmd.Main(t.Context(), append([]string{"test"}, args...), system)
	return code, stdout.String(), stderr.String()
}

func TestTestHooks(t *testing.T) {
	t.Parallel()
	pod := map[string]string{"POD_NAMESPACE": "ns"}
	complete := func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"status":{"updatedReplicas":1,"readyReplicas":1,"availableReplicas":1}}`))
	}
	for name, test := range map[string]struct {
		api         http.HandlerFunc
		env         map[string]string
		args        []string
		code        int
		out, failed string
	}{
		"passes": {complete, pod, []string{"components", "--workload=deployments.v1.apps/one"}, validatecmd.ExitOK, `validate-values 1.2.3: test of components in namespace ns

  ok    components/one  The pods of deployments.apps/one are available (1 of 1 available)

1 passed, 0 failed
`, ""},
		"fails": {
			http.NotFound, map[string]string{"POD_NAMESPACE": "other"}, []string{"components", "-n", "ns", "--workload=deployments.v1.apps/one"}, validatecmd.ExitFailed,
			"  FAIL  components/one  The pods of deployments.apps/one are available\n          asked  get deployments.apps/one in namespace ns\n" +
				"          got    get deployments/one: HTTP 404\n", "",
		},
		"reaches its timeout": {
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }, pod,
			[]string{"components", "--timeout=100ms", "--workload=deployments.v1.apps/one"}, validatecmd.ExitFailed, "got    after 0s: get deployments/one: HTTP 503\n", "",
		},
		"without an account": {
			nil, pod, []string{"components", "--workload=deployments.v1.apps/one"}, validatecmd.ExitFailed, "got    this is not a pod with a service account\n", "",
		},
		"no namespace": {
			complete, nil, []string{"components"}, validatecmd.ExitUsage, "", "validate-values: no namespace: set POD_NAMESPACE, by the downward API, or give --namespace\n",
		},
		"no workload": {
			complete, pod, []string{"components", "--workload=x"}, validatecmd.ExitUsage, "",
			"validate-values: \"x\" names no object; write resource.version[.group]/name, as in secrets.v1/codefresh-token\n",
		},
		"no route":   {complete, pod, []string{"router", "--route=x"}, validatecmd.ExitUsage, "", "validate-values: \"x\" names no route; write /path=http://host/path\n"},
		"no pod":     {complete, map[string]string{"POD_NAMESPACE": "ns", "TEST_POD": "{}"}, []string{"argo-rollouts"}, validatecmd.ExitUsage, "", "validate-values: what the pods of a test have in common: there is no container.image\n"},
		"a step":     {nil, nil, []string{"step", "--run", "r1"}, validatecmd.ExitOK, "the step of r1 runs\n", ""},
		"a CA file":  {nil, pod, []string{"components", "--ca-file", "testdata"}, validatecmd.ExitUsage, "", "validate-values: CA certificates: read testdata: is a directory\n"},
		"no CA file": {nil, pod, []string{"components", "--ca-file", filepath.Join("testdata", "none")}, validatecmd.ExitOK, "0 passed, 0 failed\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, out, failed := runTest(t, test.api, test.env, test.args...)
			require.Equal(t, test.code, code, "%s%s", out, failed)
			assert.Contains(t, out, test.out)
			assert.Equal(t, test.failed, failed)
		})
	}
}
