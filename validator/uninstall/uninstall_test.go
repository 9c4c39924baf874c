package uninstall_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/internal/netfail"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/platform"
	"gitops-runtime/validator/uninstall"
)

// world is a cluster that deletes an object after a number of requests, or returns an error.
type world struct {
	secret error // of reading the runtime token
	looks  map[string]int
	fails  map[string]error
	asked  []string
	// registers makes the runtime token exist once the workload that registers the runtime is gone.
	registers bool
	// released are the objects whose finalizers were removed.
	released []string
}

func (c *world) Secret(context.Context, string, string) (map[string][]byte, error) {
	return nil, c.secret
}

func (c *world) Delete(_ context.Context, path string) (bool, error) {
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

func (c *world) DeleteWithDependents(ctx context.Context, path string) (bool, error) {
	gone, err := c.Delete(ctx, path)
	if gone && c.registers {
		c.secret = nil
	}
	return gone, err
}

func (c *world) DeleteLabeled(_ context.Context, _ string, objects cluster.Labeled) error {
	return c.fails[objects.Resource]
}

func (c *world) ReleaseLabeled(_ context.Context, _ string, objects cluster.Labeled) ([]string, error) {
	return c.released, c.fails[objects.Resource]
}

// account has the runtime "local" in a namespace; "" for no runtime.
type account struct {
	namespace   string
	asks, fails error
	// silent is the number of requests that fail.
	silent *int
}

func (a account) Runtime(context.Context, string) (*platform.Runtime, error) {
	if a.silent != nil && *a.silent > 0 {
		*a.silent--
		return nil, fmt.Errorf("the platform: %w", unreachable)
	}
	if a.namespace == "" || a.asks != nil {
		return nil, a.asks
	}
	var found platform.Runtime
	found.Metadata.Namespace = a.namespace
	return &found, nil
}

func (a account) DeleteRuntime(context.Context, string) error { return a.fails }

var unreachable = &netfail.Failure{Stage: netfail.TCP, Host: "platform.example.com", Err: errors.New("no route to host")}

func times(number int) *int { return &number }

func TestRun(t *testing.T) {
	t.Parallel()
	objects := []cluster.Object{
		{Group: "argoproj.io", Version: "v1alpha1", Resource: "sensors", Name: "events-reporter"},
		{Version: "v1", Resource: "secrets", Name: "codefresh-token"},
	}
	const gone = "ok    sensors.argoproj.io/events-reporter is gone\nok    secrets/codefresh-token is gone\n"
	for name, test := range map[string]struct {
		account uninstall.Platform
		cluster world
		failed  int
		says    string
		asked   []string
	}{
		"every object is deleted": {
			account: account{namespace: "ns"},
			cluster: world{looks: map[string]int{"events-reporter": 2, "codefresh-token": 1}},
			says:    "ok    runtime local is no longer registered\nok    sensors.argoproj.io/events-reporter is gone\nok    secrets/codefresh-token is gone\n",
			asked:   []string{"events-reporter", "events-reporter", "events-reporter", "codefresh-token", "codefresh-token"},
		},
		"the platform responds to the third request": {
			account: account{namespace: "ns", silent: times(2)},
			says:    "ok    runtime local is no longer registered\n" + gone,
		},
		"the platform does not respond": {
			account: account{namespace: "ns", silent: times(1 << 30)},
			failed:  1,
			says: "WARN  runtime local is still registered: the platform: " + unreachable.Error() + "\n" +
				"      fix  remove it in the account's settings, under GitOps runtimes\n" + gone,
		},
		"nothing to deregister": {
			cluster: world{},
			says:    gone,
			asked:   []string{"events-reporter", "codefresh-token"},
		},
		"a rejected install that is rolled back deregisters nothing": {
			account: account{namespace: "ns", fails: errors.New("was deleted")},
			cluster: world{secret: &cluster.Error{Status: http.StatusNotFound}},
			says:    "ok    this release has registered no runtime: there is no Secret codefresh-token\n" + gone,
		},
		"an interrupted install registers the runtime until its program is stopped": {
			account: account{namespace: "ns"},
			cluster: world{secret: &cluster.Error{Status: http.StatusNotFound}, registers: true, looks: map[string]int{"app-proxy": 2}},
			says:    "ok    runtime local is no longer registered\n" + gone,
			asked:   []string{"app-proxy", "app-proxy", "app-proxy", "events-reporter", "codefresh-token"},
		},
		"the program that registers the runtime does not stop": {
			account: account{namespace: "ns", fails: errors.New("was deleted")},
			cluster: world{secret: &cluster.Error{Status: http.StatusNotFound}, looks: map[string]int{"app-proxy": 1 << 30}},
			failed:  1,
			says: "WARN  runtime local is still registered: whether it was registered from here is unknown: deployments.apps/app-proxy may still register it: " +
				"its controller has not let go of it in time\n      fix  remove it in the account's settings, under GitOps runtimes\n" + gone,
		},
		"no permission to read the runtime token": {
			account: account{namespace: "ns", fails: errors.New("was deleted")},
			cluster: world{secret: &cluster.Error{Verb: "get", Resource: "secrets/codefresh-token", Status: http.StatusForbidden}},
			failed:  1,
			says: "WARN  runtime local is still registered: whether it was registered from here is unknown: get secrets/codefresh-token: HTTP 403\n" +
				"      fix  remove it in the account's settings, under GitOps runtimes\n" + gone,
		},
		"the name belongs to another runtime": {
			account: account{namespace: "elsewhere", fails: errors.New("was deleted")},
			says:    "ok    runtime local of the account is another one, in namespace elsewhere\n" + gone,
		},
		"the runtime is gone from the account": {
			account: account{fails: errors.New("was deleted")},
			says:    "ok    runtime local is not registered\n" + gone,
		},
		"the platform rejects the removal": {
			account: account{namespace: "ns", fails: errors.New("platform.example.com answers HTTP 403")},
			failed:  1,
			says: "WARN  runtime local is still registered: platform.example.com answers HTTP 403\n" +
				"      fix  remove it in the account's settings, under GitOps runtimes\n" + gone,
		},
		"each failure is reported and the others continue": {
			account: account{asks: errors.New("platform.example.com answers HTTP 503")},
			cluster: world{looks: map[string]int{"events-reporter": 1 << 30}, fails: map[string]error{"codefresh-token": errors.New("delete secrets: HTTP 403")}},
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
				Registrar: &cluster.Object{Group: "apps", Version: "v1", Resource: "deployments", Name: "app-proxy"},
				Patience:  50 * time.Millisecond, Pause: time.Millisecond,
			}, &out)
			assert.Equal(t, test.failed, failed)
			assert.Equal(t, test.says, out.String())
			if test.asked != nil {
				assert.Equal(t, test.asked, test.cluster.asked)
			}
		})
	}
}

func TestRunSelectsByLabels(t *testing.T) {
	t.Parallel()
	const internal, git = "applications.argoproj.io -l codefresh.io/internal=true", "secrets -l io.codefresh.integration-type=git"
	for name, test := range map[string]struct {
		cluster world
		failed  int
		says    string
	}{
		"with finalizers": {
			cluster: world{released: []string{"one", "two"}},
			says:    "ok    " + internal + " have no finalizers anymore: one, two\nok    " + git + " are deleted\n",
		},
		"without": {says: "ok    " + internal + " have no finalizers\nok    " + git + " are deleted\n"},
		"not permitted": {
			cluster: world{fails: map[string]error{"applications": errors.New("list applications: HTTP 403"), "secrets": errors.New("deletecollection secrets: HTTP 403")}},
			failed:  2,
			says: "WARN  " + internal + " may keep their finalizers: list applications: HTTP 403\n" +
				"      fix  remove them with kubectl edit, after their controller is deleted\n" +
				"WARN  " + git + " are left: deletecollection secrets: HTTP 403\n      fix  kubectl delete " + git + " -n ns\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			failed := uninstall.Run(t.Context(), uninstall.Plan{
				Namespace: "ns", Cluster: &test.cluster,
				Release: []cluster.Labeled{{Group: "argoproj.io", Version: "v1alpha1", Resource: "applications", Selector: "codefresh.io/internal=true"}},
				Labeled: []cluster.Labeled{{Version: "v1", Resource: "secrets", Selector: "io.codefresh.integration-type=git"}},
			}, &out)
			assert.Equal(t, test.failed, failed)
			assert.Equal(t, test.says, out.String())
		})
	}
}
