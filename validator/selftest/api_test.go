package selftest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/netfail"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/selftest"
)

type object = map[string]any

// api is an API server that stores objects, with controllers that update them.
type api struct {
	t *testing.T
	*httptest.Server
	mutex   sync.Mutex
	objects map[string]object
	// created contains the created objects, in order.
	created []object
	// requests contains the requests other than GET, as METHOD path.
	requests []string
	// refuse is a collection in which creation responds with 403.
	refuse string
	// work returns the object as controllers update it, after it was created, patched or read. Nil means that no controller runs.
	work func(path string, stored object) object
	// holds is the number of further requests for which a deleted object still exists, as with a finalizer.
	holds int
}

func newAPI(t *testing.T) *api {
	t.Helper()
	a := &api{t: t, objects: map[string]object{}}
	a.Server = httptest.NewServer(http.HandlerFunc(a.serve))
	t.Cleanup(a.Close)
	return a
}

func (a *api) serve(w http.ResponseWriter, r *http.Request) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if r.Method != http.MethodGet {
		a.requests = append(a.requests, r.Method+" "+r.URL.Path)
	}
	body, _ := io.ReadAll(r.Body)
	stored, known := a.objects[r.URL.Path]
	switch {
	case r.Method == http.MethodPost:
		a.create(w, r.URL.Path, body)
		return
	case !known:
		status(w, http.StatusNotFound, "NotFound", fmt.Sprintf("%q not found", r.URL.Path))
		return
	case r.Method == http.MethodDelete:
		if a.holds--; a.holds < 0 {
			delete(a.objects, r.URL.Path)
		}
		answer(w, http.StatusOK, object{"kind": "Status", "apiVersion": "v1", "status": "Success"})
		return
	case r.Method == http.MethodPatch:
		require.Equal(a.t, "application/merge-patch+json", r.Header.Get("Content-Type"))
		var patch object
		require.NoError(a.t, json.Unmarshal(body, &patch))
		metadata := stored["metadata"].(object)
		stored = merged(stored, patch)
		if _, changed := patch["spec"]; changed {
			stored["metadata"].(object)["generation"] = metadata["generation"].(float64) + 1
		}
		a.objects[r.URL.Path] = stored
	}
	if a.work != nil {
		a.objects[r.URL.Path] = a.work(r.URL.Path, stored)
	}
	answer(w, http.StatusOK, a.objects[r.URL.Path])
}

func (a *api) create(w http.ResponseWriter, collection string, body []byte) {
	var made object
	require.NoError(a.t, json.Unmarshal(body, &made))
	metadata := made["metadata"].(object)
	path := collection + "/" + metadata["name"].(string)
	switch _, exists := a.objects[path]; {
	case a.refuse != "" && strings.HasSuffix(collection, "/"+a.refuse):
		status(w, http.StatusForbidden, "Forbidden", a.refuse+` is forbidden: denied by a policy`)
		return
	case exists:
		status(w, http.StatusConflict, "AlreadyExists", fmt.Sprintf("%q already exists", path))
		return
	}
	var kept object
	require.NoError(a.t, json.Unmarshal(body, &kept))
	a.created = append(a.created, kept)
	metadata["generation"] = 1.0
	a.objects[path] = made
	answer(w, http.StatusCreated, made)
}

func merged(into, patch object) object {
	for key, value := range patch {
		given, isMap := value.(object)
		kept, was := into[key].(object)
		if isMap && was {
			into[key] = merged(kept, given)
			continue
		}
		into[key] = value
	}
	return into
}

func answer(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body)
}

// status responds with a Status object, as the API server does for errors.
func status(w http.ResponseWriter, code int, reason, message string) {
	answer(w, code, object{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "message": message, "code": code})
}

// paths returns the paths of the stored objects.
func (a *api) paths() []string {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	paths := []string{}
	for path := range a.objects {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	return paths
}

// add stores an object.
func (a *api) add(path, text string) {
	a.t.Helper()
	var made object
	require.NoError(a.t, yaml.Unmarshal([]byte(text), &made))
	a.objects[path] = made
}

const image = "registry.example.com/installer@sha256:1111111111111111111111111111111111111111111111111111111111111111"

// surroundings returns those of a test in a pod with this API server, and the address to which the Service of the pod routes.
func (a *api) surroundings() (s selftest.Surroundings, address string) {
	a.t.Helper()
	client, err := cluster.New(a.URL, a.Client())
	require.NoError(a.t, err)
	listener, err := (&net.ListenConfig{}).Listen(a.t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(a.t, err)
	a.t.Cleanup(func() { _ = listener.Close() })
	pod, err := selftest.ParsePod(`{
	  "metadata": {"labels": {"team": "platform"}, "annotations": {"example.com/a": "b"}},
	  "spec": {"securityContext": {"runAsNonRoot": true, "runAsUser": 65532}, "imagePullSecrets": [{"name": "pull"}], "nodeSelector": {"pool": "ops"},
	    "tolerations": [{"key": "ops", "operator": "Exists"}], "priorityClassName": "high", "runtimeClassName": "gvisor"},
	  "container": {"image": "` + image + `", "imagePullPolicy": "IfNotPresent", "resources": {"limits": {"memory": "64Mi"}},
	    "securityContext": {"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": {"drop": ["ALL"]}}}
	}`)
	require.NoError(a.t, err)
	return selftest.Surroundings{
		Namespace: "ns", Cluster: client, HTTP: netfail.Client(netfail.Settings{}), Unverified: netfail.Client(netfail.Settings{Unverified: true}),
		Listen: func(context.Context) (net.Listener, error) { return listener, nil },
		Run:    "r1", Program: "/validate-values", Pod: pod, Pause: time.Millisecond, Closing: 200 * time.Millisecond,
	}, "http://" + listener.Addr().String()
}

// report runs a test with a timeout and returns its output.
func report(t *testing.T, timeout time.Duration, test func(context.Context, *selftest.Report)) (text string, passed bool) {
	t.Helper()
	var out bytes.Buffer
	made := selftest.NewReport(&out, "test")
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	test(ctx, made)
	passed = made.Close()
	return strings.TrimPrefix(out.String(), "test\n\n"), passed
}

// ample is the timeout of tests that end earlier, short that of tests that reach it.
const (
	ample = time.Minute
	short = 300 * time.Millisecond
)
