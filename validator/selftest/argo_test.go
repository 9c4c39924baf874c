package selftest_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/validator/selftest"
)

// Paths of the objects that the tests create.
const (
	argo          = "/apis/argoproj.io/v1alpha1/namespaces/ns/"
	application   = argo + "applications/test-argo-cd"
	project       = argo + "appprojects/test-argo-cd"
	configMap     = "/api/v1/namespaces/ns/configmaps/test-argo-cd"
	workflow      = argo + "workflows/test-argo-workflows-step"
	rollout       = argo + "rollouts/test-argo-rollouts"
	eventsOfArgo  = "test-argo-events"
	argoCDAnswers = "v3.4.13+abc"
)

// argoCDServer starts a server that responds as Argo CD does, and returns its URL.
func argoCDServer(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /root/healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })
	mux.HandleFunc("GET /root/api/version", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, object{"Version": argoCDAnswers})
	})
	server := httptest.NewTLSServer(mux) // with a self-signed certificate
	t.Cleanup(server.Close)
	return server.URL + "/root"
}

// fetch returns the response of a Helm repository.
func fetch(t *testing.T, address string) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode, address)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return body
}

// template returns the only template of a chart in a Helm repository.
func template(t *testing.T, repository, name, version string) string {
	t.Helper()
	var index struct {
		Entries map[string][]struct {
			Version string   `json:"version"`
			URLs    []string `json:"urls"`
		} `json:"entries"`
	}
	require.NoError(t, yaml.Unmarshal(fetch(t, repository+"/index.yaml"), &index))
	require.Len(t, index.Entries[name], 1)
	require.Equal(t, version, index.Entries[name][0].Version)
	zipped, err := gzip.NewReader(bytes.NewReader(fetch(t, repository+"/"+index.Entries[name][0].URLs[0])))
	require.NoError(t, err)
	archive := tar.NewReader(zipped)
	files := map[string]string{}
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		text, err := io.ReadAll(archive)
		require.NoError(t, err)
		files[header.Name] = string(text)
	}
	require.Contains(t, files[name+"/Chart.yaml"], "version: "+version)
	return files[name+"/templates/configmap.yaml"]
}

// argoCD deploys the source of an Application after a refresh is requested.
func argoCD(a *api) func(string, object) object {
	return func(path string, stored object) object {
		if path != application {
			return stored
		}
		annotations, _ := stored["metadata"].(object)["annotations"].(object)
		if annotations["argocd.argoproj.io/refresh"] != "hard" {
			stored["status"] = object{"sync": object{"status": "Unknown"}, "health": object{"status": "Healthy"}, "conditions": []any{
				object{"type": "ComparisonError", "message": "connection refused"},
			}}
			return stored
		}
		if _, there := a.objects[configMap]; !there {
			source := stored["spec"].(object)["source"].(object)
			a.add(configMap, template(a.t, source["repoURL"].(string), source["chart"].(string), source["targetRevision"].(string)))
		}
		stored["status"] = object{"sync": object{"status": "Synced"}, "health": object{"status": "Healthy"}}
		return stored
	}
}

func TestArgoCD(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.add(application, `{metadata: {name: test-argo-cd, generation: 1}}`) // left by an earlier run
	a.work, a.holds = argoCD(a), 3
	s, address := a.surroundings()
	text, passed := report(t, ample, func(ctx context.Context, r *selftest.Report) {
		selftest.ArgoCD(ctx, s, selftest.ArgoCDOptions{URL: argoCDServer(t), Repository: address, Name: "test-argo-cd"}, r)
	})
	require.Equal(t, `  ok    argo-cd/healthz  The server is healthy (HTTP 200)
  ok    argo-cd/version  The server returns its version (v3.4.13+abc)
  ok    argo-cd/sync  An Application deploys a chart (Synced, Healthy)
  ok    argo-cd/delete  Argo CD deletes what it has deployed

4 passed, 0 failed
`, text)
	assert.True(t, passed)
	assert.Equal(t, []string{configMap}, a.paths()) // deleted by the finalizer, which does not run here
	assert.Equal(t, []object{
		{"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": object{"name": "test-argo-cd"}, "spec": object{
			"description": "What the chart's test of Argo CD deploys while it runs", "sourceRepos": []any{address},
			"destinations":               []any{object{"server": "https://kubernetes.default.svc", "namespace": "ns"}},
			"namespaceResourceWhitelist": []any{object{"group": "", "kind": "ConfigMap"}},
		}},
		{"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": object{
			"name": "test-argo-cd", "labels": object{"codefresh.io/internal": "true"}, "finalizers": []any{"resources-finalizer.argocd.argoproj.io"},
		}, "spec": object{
			"project": "test-argo-cd", "source": object{"repoURL": address, "chart": "test-argo-cd", "targetRevision": "1.0.0-r1"},
			"destination": object{"server": "https://kubernetes.default.svc", "namespace": "ns"}, "syncPolicy": object{"automated": object{}},
		}},
	}, a.created)
}

// Each case has the work of the controllers and the expected parts of the report.
func TestArgoFails(t *testing.T) {
	t.Parallel()
	stuck := func(path string, stored object) object {
		if path == rollout {
			stored["status"] = object{"observedGeneration": "1", "phase": "Degraded", "message": "InvalidSpec: no"}
		}
		return stored
	}
	for name, test := range map[string]struct {
		work   func(string, object) object
		refuse string
		test   func(context.Context, selftest.Surroundings, string, *selftest.Report)
		want   []string
	}{
		"no application controller": {nil, "", func(ctx context.Context, s selftest.Surroundings, address string, r *selftest.Report) {
			selftest.ArgoCD(ctx, s, selftest.ArgoCDOptions{URL: argoCDServer(t), Repository: address, Name: "test-argo-cd"}, r)
		}, []string{"FAIL  argo-cd/sync", "no application controller has taken up the Application", "ok    argo-cd/delete"}},
		"no server": {nil, "", func(ctx context.Context, s selftest.Surroundings, address string, r *selftest.Report) {
			selftest.ArgoCD(ctx, s, selftest.ArgoCDOptions{URL: "http://127.0.0.1:1", Repository: address, Name: "test-argo-cd"}, r)
		}, []string{"FAIL  argo-cd/healthz", "asked  GET http://127.0.0.1:1/healthz", "0 passed, 1 failed"}},
		"no workflow controller": {nil, "", func(ctx context.Context, s selftest.Surroundings, _ string, r *selftest.Report) {
			selftest.Workflows(ctx, s, selftest.WorkflowsOptions{Name: "test-argo-workflows-step", Account: "a"}, r)
		}, []string{"FAIL  argo-workflows/step", "no workflow controller has taken up the Workflow", "ok    argo-workflows/delete"}},
		"a step that fails": {func(path string, stored object) object {
			stored["status"] = object{"phase": "Failed", "message": "Error (exit code 1)", "nodes": object{"n": object{"phase": "Failed", "message": "no\x1b[31m"}}}
			return stored
		}, "", func(ctx context.Context, s selftest.Surroundings, _ string, r *selftest.Report) {
			selftest.Workflows(ctx, s, selftest.WorkflowsOptions{Name: "test-argo-workflows-step", Account: "a"}, r)
		}, []string{"FAIL  argo-workflows/step", `got    Failed: Error (exit code 1), its pod is Failed: no\x1b[31m`}},
		"a rejected Workflow": {nil, "workflows", func(ctx context.Context, s selftest.Surroundings, _ string, r *selftest.Report) {
			selftest.Workflows(ctx, s, selftest.WorkflowsOptions{Name: "test-argo-workflows-step", Account: "a"}, r)
		}, []string{"got    create workflows: HTTP 403: workflows is forbidden: denied by a policy"}},
		"a rejected Rollout": {stuck, "", func(ctx context.Context, s selftest.Surroundings, _ string, r *selftest.Report) {
			selftest.Rollouts(ctx, s, selftest.RolloutsOptions{Name: "test-argo-rollouts", InstanceID: "ours"}, r)
		}, []string{"FAIL  argo-rollouts/first", "Degraded: InvalidSpec: no", "ok    argo-rollouts/delete"}},
		"no Argo Events controller": {nil, "", func(ctx context.Context, s selftest.Surroundings, address string, r *selftest.Report) {
			selftest.Events(ctx, s, selftest.EventsOptions{Name: eventsOfArgo, Bus: "latest", Endpoint: "/x", Post: address + "/x", Trigger: address}, r)
		}, []string{"FAIL  argo-events/bus", "no Argo Events controller has taken it up", "ok    argo-events/delete"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAPI(t)
			a.work, a.refuse = test.work, test.refuse
			s, address := a.surroundings()
			text, passed := report(t, short, func(ctx context.Context, r *selftest.Report) { test.test(ctx, s, address, r) })
			assert.False(t, passed)
			for _, want := range test.want {
				assert.Contains(t, text, want)
			}
			assert.Empty(t, a.paths(), "a created object is not deleted")
		})
	}
}

// Objects whose finalizers remain are reported.
func TestObjectsWithFinalizersAreReported(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.holds = 1 << 30
	s, address := a.surroundings()
	text, passed := report(t, short, func(ctx context.Context, r *selftest.Report) {
		selftest.ArgoCD(ctx, s, selftest.ArgoCDOptions{URL: argoCDServer(t), Repository: address, Name: "test-argo-cd"}, r)
	})
	assert.False(t, passed)
	assert.Contains(t, text, "FAIL  argo-cd/delete  Argo CD deletes what it has deployed\n")
	assert.Contains(t, text, "still there: applications/test-argo-cd")
	assert.Equal(t, []string{application, project}, a.paths(), "the AppProject is not deleted before the Application")
}

func TestExternalArgoCD(t *testing.T) {
	t.Parallel()
	s, _ := newAPI(t).surroundings()
	s.Cluster = selftest.NoCluster{Err: os.ErrPermission}
	text, passed := report(t, ample, func(ctx context.Context, r *selftest.Report) {
		selftest.ArgoCD(ctx, s, selftest.ArgoCDOptions{URL: argoCDServer(t), Without: "it is yours"}, r)
	})
	assert.True(t, passed)
	assert.Contains(t, text, "\n  skip  argo-cd/sync  An Application deploys a chart (it is yours)\n\n2 passed, 0 failed\n")
}

func TestWorkflows(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.add(workflow, `{metadata: {name: test-argo-workflows-step, generation: 1}}`)
	a.work = func(_ string, stored object) object {
		stored["status"] = object{"phase": "Succeeded", "progress": "1/1"}
		return stored
	}
	s, _ := a.surroundings()
	text, passed := report(t, ample, func(ctx context.Context, r *selftest.Report) {
		selftest.Workflows(ctx, s, selftest.WorkflowsOptions{Name: "test-argo-workflows-step", Account: "executor", InstanceID: "one"}, r)
	})
	require.True(t, passed, text)
	assert.Empty(t, a.paths())
	require.Len(t, a.created, 1)
	assert.Equal(t, object{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow",
		"metadata": object{"name": "test-argo-workflows-step", "labels": object{"workflows.argoproj.io/controller-instanceid": "one"}},
		"spec": object{
			"entrypoint": "step", "serviceAccountName": "executor", "archiveLogs": false,
			"podMetadata":     object{"labels": object{"team": "platform"}, "annotations": object{"example.com/a": "b"}},
			"securityContext": object{"runAsNonRoot": true, "runAsUser": 65532.0}, "imagePullSecrets": []any{object{"name": "pull"}},
			"nodeSelector": object{"pool": "ops"}, "tolerations": []any{object{"key": "ops", "operator": "Exists"}},
			"podPriorityClassName": "high", "podSpecPatch": `{"automountServiceAccountToken":true,"runtimeClassName":"gvisor"}`,
			"templates": []any{object{"name": "step", "container": object{
				"name": "main", "image": image, "imagePullPolicy": "IfNotPresent", "command": []any{"/validate-values"}, "args": []any{"test", "step", "--run", "r1"},
				"resources":       object{"limits": object{"memory": "64Mi"}},
				"securityContext": object{"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": object{"drop": []any{"ALL"}}},
			}}},
		},
	}, a.created[0])
}

func TestRollouts(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.work = func(_ string, stored object) object {
		assert.Equal(t, object{"argo-rollouts.argoproj.io/controller-instance-id": "ours"}, stored["metadata"].(object)["labels"])
		hash, generation := "one", "1"
		if stored["metadata"].(object)["generation"] == 2.0 {
			hash, generation = "two", "2"
		}
		stored["status"] = object{
			"observedGeneration": generation, "phase": "Healthy", "currentPodHash": hash, "stableRS": hash, "availableReplicas": 1, "updatedReplicas": 1,
		}
		return stored
	}
	s, _ := a.surroundings()
	text, passed := report(t, ample, func(ctx context.Context, r *selftest.Report) {
		selftest.Rollouts(ctx, s, selftest.RolloutsOptions{Name: "test-argo-rollouts", InstanceID: "ours"}, r)
	})
	require.Equal(t, `  ok    argo-rollouts/first  A Rollout becomes healthy (stable is one)
  ok    argo-rollouts/update  An update runs through its steps (stable is two)
  ok    argo-rollouts/delete  The Rollout is deleted

3 passed, 0 failed
`, text)
	assert.True(t, passed)
	assert.Empty(t, a.paths())
}

// argoEvents reports every object as ready; its Sensor ignores the first payload, which arrives too early, and calls the trigger for the next ones.
func argoEvents(t *testing.T, trigger string) (work func(string, object) object, post string) {
	t.Helper()
	sent := 0
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if sent++; sent > 1 {
			request, err := http.NewRequestWithContext(context.WithoutCancel(r.Context()), http.MethodPost, trigger, bytes.NewReader(body))
			if assert.NoError(t, err) {
				if response, err := http.DefaultClient.Do(request); assert.NoError(t, err) {
					response.Body.Close()
				}
			}
		}
		_, _ = w.Write([]byte("success"))
	}))
	t.Cleanup(source.Close)
	return func(_ string, stored object) object {
		stored["status"] = object{"conditions": []any{object{"type": "Deployed", "status": "True"}, object{"type": "Configured", "status": "True"}}}
		return stored
	}, source.URL + "/webhooks/ns/test-argo-events/said"
}

func TestEvents(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	s, address := a.surroundings()
	var post string
	a.work, post = argoEvents(t, address)
	text, passed := report(t, ample, func(ctx context.Context, r *selftest.Report) {
		selftest.Events(ctx, s, selftest.EventsOptions{Name: eventsOfArgo, Bus: "latest", Endpoint: "/webhooks/ns/test-argo-events/said", Post: post, Trigger: address}, r)
	})
	require.True(t, passed, text)
	assert.Regexp(t, `^  ok    argo-events/bus  The event bus is ready
  ok    argo-events/source  The event source is ready
  ok    argo-events/sensor  The sensor is ready
  ok    argo-events/event  An event reaches its trigger \(sent \d+ times\)
  ok    argo-events/delete  Event bus, event source and sensor are deleted

5 passed, 0 failed
$`, text)
	assert.Empty(t, a.paths())
}

// The server in the pods of the Rollout responds until its context ends.
func TestServe(t *testing.T) {
	t.Parallel()
	s, address := newAPI(t).surroundings()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- selftest.Serve(ctx, s.Listen) }()
	assert.Equal(t, "ok\n", string(fetch(t, address)))
	cancel()
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(10 * time.Second):
		require.Fail(t, "the server does not stop")
	}
}

func TestParsePod(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{":  "what the pods of a test have in common: unexpected end of JSON input",
		"{}": "what the pods of a test have in common: there is no container.image",
	} {
		_, err := selftest.ParsePod(text)
		assert.EqualError(t, err, want)
	}
}
