package uninstall_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/uninstall"
)

func TestParseObject(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ path, name string }{
		"secrets.v1/codefresh-token":                      {"/api/v1/namespaces/ns/secrets/codefresh-token", "secrets/codefresh-token"},
		"sensors.v1alpha1.argoproj.io/events-reporter":    {"/apis/argoproj.io/v1alpha1/namespaces/ns/sensors/events-reporter", "sensors.argoproj.io/events-reporter"},
		"leases.v1.coordination.k8s.io/argo-events-lease": {"/apis/coordination.k8s.io/v1/namespaces/ns/leases/argo-events-lease", "leases.coordination.k8s.io/argo-events-lease"},
	} {
		object, err := uninstall.ParseObject(text)
		require.NoError(t, err)
		assert.Equal(t, want.path, object.Path("ns"))
		assert.Equal(t, want.name, object.String())
	}
	for _, text := range []string{"", "secrets", "secrets/x", "secrets.v1/", ".v1/x"} {
		_, err := uninstall.ParseObject(text)
		assert.EqualError(t, err, `"`+text+`" names no object; write resource.version[.group]/name, as in secrets.v1/codefresh-token`)
	}
}

// cluster lets go of an object after so many looks; -1 is never, an error is given back.
type cluster struct {
	looks map[string]int
	fails map[string]error
	asked []string
}

func (c *cluster) Delete(_ context.Context, path string) (bool, error) {
	name := path[strings.LastIndex(path, "/")+1:]
	c.asked = append(c.asked, name)
	if err := c.fails[name]; err != nil {
		return false, err
	}
	if c.looks[name] == 0 {
		return true, nil
	}
	c.looks[name]--
	return false, nil
}

type account struct{ err error }

func (a account) DeleteRuntime(context.Context, string) error { return a.err }

func TestRun(t *testing.T) {
	t.Parallel()
	objects := []uninstall.Object{
		{Group: "argoproj.io", Version: "v1alpha1", Resource: "sensors", Name: "events-reporter"},
		{Version: "v1", Resource: "secrets", Name: "codefresh-token"},
	}
	for name, test := range map[string]struct {
		account uninstall.Platform
		cluster cluster
		failed  int
		says    string
		asked   []string
	}{
		"everything goes": {
			account: account{},
			cluster: cluster{looks: map[string]int{"events-reporter": 2, "codefresh-token": 1}},
			says:    "ok    runtime local is no longer registered\nok    sensors.argoproj.io/events-reporter is gone\nok    secrets/codefresh-token is gone\n",
			asked:   []string{"events-reporter", "events-reporter", "events-reporter", "codefresh-token", "codefresh-token"},
		},
		"nothing to deregister": {
			cluster: cluster{},
			says:    "ok    sensors.argoproj.io/events-reporter is gone\nok    secrets/codefresh-token is gone\n",
			asked:   []string{"events-reporter", "codefresh-token"},
		},
		"each failure is said and the rest goes on": {
			account: account{errors.New("platform.example.com answers HTTP 503")},
			cluster: cluster{looks: map[string]int{"events-reporter": 1 << 30}, fails: map[string]error{"codefresh-token": errors.New("delete secrets: HTTP 403")}},
			failed:  3,
			says: "WARN  runtime local is still registered: platform.example.com answers HTTP 503\n" +
				"      fix  remove it in the account's settings, under GitOps runtimes\n" +
				"WARN  sensors.argoproj.io/events-reporter is left: its controller has not let go of it in time\n" +
				"      fix  kubectl delete sensors.argoproj.io/events-reporter -n ns\n" +
				"WARN  secrets/codefresh-token is left: delete secrets: HTTP 403\n" +
				"      fix  kubectl delete secrets/codefresh-token -n ns\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			failed := uninstall.Run(t.Context(), uninstall.Plan{
				Namespace: "ns", Runtime: "local", Platform: test.account, Objects: objects, Cluster: &test.cluster,
				Patience: 50 * time.Millisecond, Pause: time.Millisecond,
			}, &out)
			assert.Equal(t, test.failed, failed)
			assert.Equal(t, test.says, out.String())
			if test.asked != nil {
				assert.Equal(t, test.asked, test.cluster.asked)
			}
		})
	}
}
