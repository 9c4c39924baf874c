package reporter_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/standin/argocd"
	"gitops-runtime/tests/standin/argocd/argocdtest"
	"gitops-runtime/tests/standin/kube"
	"gitops-runtime/tests/standin/platformapi"
	"gitops-runtime/tests/standin/reporter"
)

// world contains the servers that a reporter calls and watches.
type world struct {
	platform *platformapi.Server
	argoCD   *argocdtest.Server
	objects  *dynamicfake.FakeDynamicClient
	secrets  kube.Secrets
	settings reporter.Settings
}

func newWorld(t *testing.T, mode string, faults ...platformapi.Fault) *world {
	t.Helper()
	server, err := platformapi.Start(t.Context(), platformapi.Options{Faults: faults})
	require.NoError(t, err)
	argoCD := argocdtest.Start()
	t.Cleanup(argoCD.Close)
	argoCD.Accept("key")
	other, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = other.Close() })
	secrets := kube.Secrets{Client: fake.NewClientset(), Namespace: "codefresh", Manager: "test"}
	require.NoError(t, secrets.Save(t.Context(), "argocd-token", map[string][]byte{"token": []byte("key")}))
	kinds := map[schema.GroupVersionResource]string{}
	for resource, kind := range map[string]string{"applications": "ApplicationList", "rollouts": "RolloutList", "analysisruns": "AnalysisRunList", "workflows": "WorkflowList"} {
		kinds[schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: resource}] = kind
	}
	kinds[schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}] = "DeploymentList"
	kinds[schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "replicasets"}] = "ReplicaSetList"
	return &world{
		platform: server, argoCD: argoCD, secrets: secrets, objects: dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds),
		settings: reporter.Settings{
			Mode: mode, PlatformURL: server.URL, Token: "runtime-token-taken", ArgoCD: argoCD.Address(), TokenSecret: "argocd-token", TokenKey: "token",
			RepoServer: other.Addr().String(), Gateway: "http://" + other.Addr().String(), QueueSize: 10, Workers: 1,
		},
	}
}

// starts runs a reporter until the test ends.
func (w *world) starts(t *testing.T) *reporter.Program {
	t.Helper()
	program, err := reporter.New(w.settings, reporter.Options{Objects: w.objects, Secrets: w.secrets, Namespace: "codefresh", Log: slog.New(slog.DiscardHandler), Pause: time.Millisecond})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- program.Work(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	return program
}

// applies creates or replaces an object.
func (w *world) applies(t *testing.T, resource schema.GroupVersionResource, text string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &object.Object))
	objects := w.objects.Resource(resource).Namespace(object.GetNamespace())
	_, err := objects.Get(t.Context(), object.GetName(), metav1.GetOptions{})
	if err == nil {
		_, err = objects.Update(t.Context(), object, metav1.UpdateOptions{})
	} else {
		_, err = objects.Create(t.Context(), object, metav1.CreateOptions{})
	}
	require.NoError(t, err)
	return object
}

// hears waits for a number of events of a kind, and returns them.
func (w *world) hears(t *testing.T, kind string, count int) []reporter.Event {
	t.Helper()
	require.Eventually(t, func() bool { return len(w.platform.Events(kind, "taken")) >= count }, 20*time.Second, time.Millisecond, kind)
	var events []reporter.Event
	for _, received := range w.platform.Events(kind, "taken") {
		require.True(t, received.Gzipped)
		var event reporter.Event
		require.NoError(t, json.Unmarshal(received.Payload, &event))
		events = append(events, event)
	}
	require.Len(t, events, count)
	return events
}

var (
	deployments  = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	rollouts     = schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "rollouts"}
	applications = schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "applications"}
)

const (
	deployment = "{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: web, name: web}, spec: {replicas: 1}}"
	rollout    = "{apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: {namespace: web, name: canary}, status: {phase: PHASE}}"
)

// Resource mode reports existing, changed and deleted objects of every namespace.
func TestResourceMode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "resource", platformapi.Fault{Path: platformapi.EventsPath, Status: 503, Times: 1})
	w.applies(t, deployments, deployment)
	w.starts(t)
	first := w.hears(t, "Deployment", 1)[0].Data
	require.JSONEq(t, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"namespace":"web","name":"web"},"spec":{"replicas":1}}`, string(first.Object))
	require.JSONEq(t, string(first.Object), first.Source.ActualManifest)
	w.applies(t, rollouts, rollout)
	w.hears(t, "Rollout", 1)
	require.NoError(t, w.objects.Resource(rollouts).Namespace("web").Delete(t.Context(), "canary", metav1.DeleteOptions{}))
	require.Empty(t, w.hears(t, "Rollout", 2)[1].Data.Source.ActualManifest, "deleted")
	require.Empty(t, w.platform.Events("Application", ""))
}

// application is a synced Application; HEALTH is of its Deployment.
const application = `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {namespace: NAMESPACE, name: guestbook, uid: u, labels: {a: b}}
spec: {source: {repoURL: https://git.example.com/apps.git, path: guestbook}, destination: {server: https://cluster.example.com}}
status:
  sync: {status: Synced, revision: abc}
  health: {status: Healthy}
  conditions: [{type: SyncError, message: broken, lastTransitionTime: "2025-06-01T12:00:00Z"}]
  history: [{id: 1}, {id: 2}]
  operationState: {startedAt: "2025-06-01T11:00:00Z", finishedAt: "2025-06-01T11:01:00Z", syncResult: {revision: abc}}
  resources:
  - {group: apps, version: v1, kind: Deployment, namespace: web, name: web, status: Synced, health: {status: HEALTH, message: m}}
  - {version: v1, kind: ConfigMap, namespace: web, name: web, status: Synced}
`

func filled(health, namespace string) string {
	return strings.NewReplacer("HEALTH", health, "NAMESPACE", namespace).Replace(application)
}

// App mode reports an Application, and each of its resources whose status has changed, with the states in Argo CD.
func TestAppMode(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "app")
	live := `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"namespace":"web","name":"web"},"status":{"replicas":1}}`
	w.argoCD.Manage("guestbook",
		argocd.Resource{Group: "apps", Kind: "Deployment", Namespace: "web", Name: "web", TargetState: `{"a":1}`, LiveState: live},
		argocd.Resource{Kind: "ConfigMap", Namespace: "web", Name: "web", TargetState: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web"}}`, LiveState: "null"})
	w.starts(t)
	w.applies(t, applications, filled("Healthy", "codefresh"))
	source := w.hears(t, "Application", 1)[0].Data.Source
	require.NotEmpty(t, source.ActualManifest)
	source.ActualManifest = ""
	healthy, message := "Healthy", "m"
	started, finished := metav1.NewTime(time.Date(2025, 6, 1, 11, 0, 0, 0, time.UTC).Local()), metav1.NewTime(time.Date(2025, 6, 1, 11, 1, 0, 0, time.UTC).Local())
	common := reporter.Source{
		RepoURL: "https://git.example.com/apps.git", Path: "guestbook", Revision: "abc", OperationSyncRevision: "abc", HistoryID: 2, AppName: "guestbook",
		AppNamespace: "codefresh", AppUID: "u", AppLabels: map[string]string{"a": "b"}, SyncStatus: "Synced", SyncStartedAt: started, SyncFinishedAt: &finished,
		HealthStatus: &healthy, Cluster: "https://cluster.example.com",
	}
	require.Equal(t, common, source)
	require.Equal(t, []reporter.ObjectError{{
		Type: "sync", Level: "error", Message: "broken", LastSeen: metav1.NewTime(time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC).Local()),
		SourceReference: reporter.SourceReference{Group: "argoproj.io", Version: "v1alpha1", Kind: "Application", Name: "guestbook", Namespace: "codefresh"},
	}}, w.hears(t, "Application", 1)[0].Data.Errors)

	common.DesiredManifest, common.GitManifest, common.ActualManifest, common.HealthMessage = `{"a":1}`, `{"a":1}`, live, &message
	require.Equal(t, common, w.hears(t, "Deployment", 1)[0].Data.Source)
	require.Empty(t, w.hears(t, "ConfigMap", 1)[0].Data.Source.ActualManifest, "it is not on the cluster yet")

	w.applies(t, applications, filled("Degraded", "codefresh"))
	w.hears(t, "Application", 2)
	degraded := w.hears(t, "Deployment", 2)[1].Data
	require.Equal(t, []string{"Degraded", "health"}, []string{*degraded.Source.HealthStatus, degraded.Errors[0].Type})
	w.hears(t, "ConfigMap", 1)

	require.NoError(t, w.objects.Resource(applications).Namespace("codefresh").Delete(t.Context(), "guestbook", metav1.DeleteOptions{}))
	require.Empty(t, w.hears(t, "Application", 3)[2].Data.Source.ActualManifest)
}

// Applications in the runtime's namespace and in those that a pattern matches are reported.
func TestApplicationNamespaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "app")
	w.settings.ApplicationNamespaces = "cf-*, other"
	w.starts(t)
	for _, namespace := range []string{"elsewhere", "cf-team", "other", "codefresh"} {
		w.applies(t, applications, "{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: a, namespace: "+namespace+"}, spec: {}}")
	}
	w.hears(t, "Application", 3)
	var namespaces []string
	for _, event := range w.platform.Events("Application", "taken") {
		namespaces = append(namespaces, event.Object.Namespace)
	}
	require.ElementsMatch(t, []string{"cf-team", "other", "codefresh"}, namespaces)
}

// A reporter of one namespace does not watch others.
func TestNamespaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "resource")
	w.settings.Namespaced = true
	w.applies(t, deployments, deployment)
	w.applies(t, deployments, strings.ReplaceAll(deployment, "namespace: web", "namespace: codefresh"))
	w.starts(t)
	require.Contains(t, string(w.hears(t, "Deployment", 1)[0].Data.Object), `"namespace":"codefresh"`)
	for _, action := range w.objects.Actions() {
		if action.GetVerb() == "list" || action.GetVerb() == "watch" {
			require.Equal(t, "codefresh", action.GetNamespace())
		}
	}
}

// A reporter that cannot reach a server names it in its readiness.
func TestNotReady(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "app")
	w.settings.Gateway = "http://127.0.0.1:1"
	program := w.starts(t)
	require.Eventually(t, func() bool {
		recorder := httptest.NewRecorder()
		program.Handler().ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/healthz", nil))
		return recorder.Code == http.StatusServiceUnavailable && strings.Contains(recorder.Body.String(), "argo-gateway: connecting to 127.0.0.1:1: ")
	}, 10*time.Second, time.Millisecond)
}

func TestWrongSettings(t *testing.T) {
	t.Parallel()
	_, err := reporter.New(reporter.Settings{Mode: "all"}, reporter.Options{})
	require.EqualError(t, err, `set the environment variable REPORTER_MODE to app or resource: it is "all"`)
	_, err = reporter.New(reporter.Settings{Mode: "app", QueueSize: 1}, reporter.Options{})
	require.EqualError(t, err, "set the environment variables THREADINESS and APP_QUEUE_SIZE to 1 or more: they are 0 and 1")
}
