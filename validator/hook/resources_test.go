package hook_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/hook"
)

// api responds by path with an HTTP status, and records the requests.
type api struct {
	mu     sync.Mutex
	status map[string]int
	asked  []string
}

func (a *api) note(verb, path string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, verb+" "+path)
	if status := a.status[verb+" "+path]; status != 0 {
		return &cluster.Error{Verb: verb, Resource: path, Status: status}
	}
	return nil
}

func (a *api) Identify(_ context.Context, path string) (cluster.Identity, error) {
	return cluster.Identity{Kind: "ClusterRole", Name: "ns-hook", UID: "1"}, a.note("get", path)
}

func (a *api) Own(_ context.Context, path string, owner cluster.Identity) error {
	return a.note("patch", path+" "+owner.Kind+" "+owner.Name+" "+owner.UID)
}

func (a *api) Delete(_ context.Context, path string) (bool, error) {
	return false, a.note("delete", path)
}

func TestResources(t *testing.T) {
	t.Parallel()
	const (
		role    = "/apis/rbac.authorization.k8s.io/v1/clusterroles/ns-hook"
		binding = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/ns-hook ClusterRole ns-hook 1"
		secret  = "/api/v1/namespaces/ns/secrets/hook ClusterRole ns-hook 1"
	)
	made := hook.Resources{
		{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles", Name: "ns-hook"},
		{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings", Name: "ns-hook"},
		{Version: "v1", Resource: "secrets", Name: "hook"},
	}
	for name, test := range map[string]struct {
		made   hook.Resources
		status map[string]int
		asked  []string
		err    string
	}{
		"the first owns the others":  {made: made, asked: []string{"get " + role, "patch " + secret, "patch " + binding, "delete " + role}},
		"no resources":               {},
		"a single resource":          {made: made[:1], asked: []string{"get " + role, "delete " + role}},
		"Helm has deleted the owner": {made: made, status: map[string]int{"get " + role: http.StatusNotFound}, asked: []string{"get " + role}},
		"Helm has deleted a dependent": {
			made: made, status: map[string]int{"patch " + secret: http.StatusNotFound},
			asked: []string{"get " + role, "patch " + secret, "patch " + binding, "delete " + role},
		},
		"no permission to read the owner": {
			made: made, status: map[string]int{"get " + role: http.StatusForbidden}, asked: []string{"get " + role},
			err: "the hook's objects stay: get " + role + ": HTTP 403",
		},
		"a resource that cannot be deleted is reported, and the others are deleted": {
			made: made, status: map[string]int{"patch " + secret: http.StatusForbidden, "delete " + role: http.StatusInternalServerError},
			asked: []string{"get " + role, "patch " + secret, "patch " + binding, "delete " + role},
			err: "secrets/hook stays: patch " + secret + ": HTTP 403\n" +
				"clusterroles.rbac.authorization.k8s.io/ns-hook stays: delete " + role + ": HTTP 500",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := &api{status: test.status}
			err := test.made.Remove(t.Context(), "ns", server)
			if len(server.asked) == 4 { // the patches are sent side by side
				slices.Sort(server.asked[1:3])
			}
			assert.Equal(t, slices.Concat(test.asked), slices.Concat(server.asked))
			if test.err == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, test.err)
			}
		})
	}
}
