package doctorcmd_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/release"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmrender"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/tests/golden"
	"gitops-runtime/tests/render"
	"gitops-runtime/tests/standin/apiserver"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/doctor"
	"gitops-runtime/validator/doctorcmd"
	"gitops-runtime/validator/preview"
	"gitops-runtime/validator/report"
	"gitops-runtime/validator/reportpage"
	"gitops-runtime/validator/validatecmd"
)

const namespace = "codefresh"

// now is the time of the cases.
var now = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)

func ago(duration time.Duration) string { return now.Add(-duration).Format(time.RFC3339) }

// tree is an object.
type tree = map[string]any

// kinds are what the API server of the cases serves besides the kinds of the release.
func kinds() []apiserver.Kind {
	var all []apiserver.Kind
	add := func(apiVersion string, namespaced bool, names ...string) {
		for _, name := range names {
			kind, plural, given := strings.Cut(name, "=")
			if !given {
				plural = strings.ToLower(kind) + "s"
			}
			all = append(all, apiserver.Kind{APIVersion: apiVersion, Kind: kind, Plural: plural, Namespaced: namespaced})
		}
	}
	add("v1", true, "Pod", "Service", "Secret", "ConfigMap", "Event", "ServiceAccount", "PersistentVolumeClaim")
	add("events.k8s.io/v1", true, "Event")
	add("v1", false, "Node", "Namespace")
	add("apps/v1", true, "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")
	add("batch/v1", true, "Job", "CronJob")
	add("rbac.authorization.k8s.io/v1", true, "Role", "RoleBinding")
	add("rbac.authorization.k8s.io/v1", false, "ClusterRole", "ClusterRoleBinding")
	add("networking.k8s.io/v1", true, "NetworkPolicy=networkpolicies", "Ingress=ingresses")
	add("networking.k8s.io/v1", false, "IngressClass=ingressclasses")
	add("gateway.networking.k8s.io/v1", true, "HTTPRoute", "Gateway")
	add("policy/v1", true, "PodDisruptionBudget")
	add("autoscaling/v2", true, "HorizontalPodAutoscaler")
	add("coordination.k8s.io/v1", true, "Lease")
	add("scheduling.k8s.io/v1", false, "PriorityClass=priorityclasses")
	add("apiextensions.k8s.io/v1", false, "CustomResourceDefinition")
	add("admissionregistration.k8s.io/v1", false, "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")
	add("monitoring.coreos.com/v1", true, "PrometheusRule", "ServiceMonitor", "PodMonitor")
	add("metrics.k8s.io/v1beta1", true, "PodMetrics=pods")
	add("argoproj.io/v1alpha1", true, "Application", "ApplicationSet", "AppProject", "EventBus=eventbus", "EventSource", "Sensor", "WorkflowTemplate", "CronWorkflow", "Rollout")
	return all
}

// root is the folder of the repository, found before the tests change their working directory.
var root, errRoot = gomodule.Root()

var charted = sync.OnceValues(func() (*chart.Chart, error) {
	if errRoot != nil {
		return nil, errRoot
	}
	return helmchart.Load(context.Background(), helmchart.Source{Name: filepath.Join(root, "charts", "gitops-runtime")})
})

// stored are the rendered releases of the cases, by name.
var stored sync.Map

// rendered returns the release of a golden case.
func rendered(t testing.TB, name string) *release.Release {
	t.Helper()
	make := sync.OnceValues(func() (*release.Release, error) {
		loaded, err := charted()
		if err != nil {
			return nil, err
		}
		var files []string
		for _, one := range golden.Cases() {
			if one.Name == name {
				for _, file := range one.Files {
					files = append(files, filepath.Join(root, "charts", "gitops-runtime", file))
				}
			}
		}
		values, err := helmvalues.Load(context.Background(), helmvalues.Options{Files: files})
		if err != nil {
			return nil, err
		}
		made, err := helmrender.New(loaded).Release(values.Tree, helmrender.Options{Name: "cf", Namespace: namespace, APIVersions: []string{"gateway.networking.k8s.io/v1"}})
		if err != nil {
			return nil, err
		}
		made.Version, made.Info.Status, made.Config = 3, release.StatusDeployed, values.Tree
		made.Chart = &chart.Chart{Metadata: loaded.Metadata, Values: loaded.Values}
		return made, nil
	})
	first, _ := stored.LoadOrStore(name, make)
	made, err := first.(func() (*release.Release, error))()
	require.NoError(t, err)
	return made
}

// objects are the objects of the releases, by name.
var objects sync.Map

func parsed(t testing.TB, name string) []tree {
	t.Helper()
	if known, ok := objects.Load(name); ok {
		return known.([]tree)
	}
	var all []tree
	for document := range strings.SplitSeq("\n"+rendered(t, name).Manifest, "\n---") {
		var object tree
		require.NoError(t, yaml.Unmarshal([]byte(document+"\n"), &object))
		if object == nil {
			continue
		}
		if metadata := object["metadata"].(tree); metadata["namespace"] == nil {
			metadata["namespace"] = namespace
		}
		all = append(all, object)
	}
	objects.Store(name, all)
	return all
}

// world is a cluster with a runtime.
type world struct {
	*apiserver.Server
	release *release.Release
	parts   []preview.Part
	args    []string
}

// healthy returns a cluster with a release whose objects are as it has them, whose pods are ready, and whose Secrets exist.
func healthy(t testing.TB, name string) *world {
	t.Helper()
	w := &world{Server: apiserver.New(kinds()...), release: rendered(t, name)}
	w.Now = now
	var err error
	w.parts, err = preview.Parts(w.release)
	require.NoError(t, err)
	for _, object := range parsed(t, name) {
		w.Add(object)
		if spec, _ := object["spec"].(tree); object["kind"] == "Deployment" || object["kind"] == "StatefulSet" {
			w.Add(podOf(object["metadata"].(tree)["name"].(string), spec["template"].(tree)))
		}
	}
	w.store("deployed", 3)
	w.Add(
		tree{"apiVersion": "v1", "kind": "Node", "metadata": tree{"name": "node-1"}, "status": tree{"conditions": []any{tree{"type": "Ready", "status": "True"}, tree{"type": "DiskPressure", "status": "False"}}}},
		tree{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": tree{"name": "node-1", "namespace": "kube-node-lease"}, "spec": tree{"renewTime": now.Add(-3 * time.Second).Format("2006-01-02T15:04:05.000000Z07:00")}},
		tree{"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": tree{"name": "public", "namespace": "gateways"}},
		tree{"apiVersion": "networking.k8s.io/v1", "kind": "IngressClass", "metadata": tree{"name": "nginx"}},
	)
	w.Add(tree{"apiVersion": "v1", "kind": "ConfigMap", "metadata": tree{"name": "kube-root-ca.crt", "namespace": namespace}, "data": tree{"ca.crt": "-"}})
	w.Texts["/apis"] = `{"groups": [{"name": "gateway.networking.k8s.io"}]}`
	w.fill(t)
	return w
}

// fill creates the Secrets that pods refer to and that are not of the release.
func (w *world) fill(t testing.TB) {
	t.Helper()
	var content struct{ Spec corev1.PodSpec }
	for _, path := range w.Paths() {
		if !strings.HasPrefix(path, core("pods", "")) {
			continue
		}
		text, err := json.Marshal(w.Object(path))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &content))
		for _, container := range slices.Concat(content.Spec.InitContainers, content.Spec.Containers) {
			for _, variable := range container.Env {
				if variable.ValueFrom != nil && variable.ValueFrom.SecretKeyRef != nil {
					w.entry(variable.ValueFrom.SecretKeyRef.Name, variable.ValueFrom.SecretKeyRef.Key)
				}
			}
		}
		for _, volume := range content.Spec.Volumes {
			if volume.Secret != nil {
				w.entry(volume.Secret.SecretName, "")
				for _, item := range volume.Secret.Items {
					w.entry(volume.Secret.SecretName, item.Key)
				}
			}
			if volume.Projected != nil {
				for _, part := range volume.Projected.Sources {
					if part.Secret != nil {
						w.entry(part.Secret.Name, "")
					}
				}
			}
		}
	}
}

// entry adds an entry to a Secret, unless it has it.
func (w *world) entry(name, key string) {
	secret := w.Object(core("secrets", name))
	if secret == nil {
		secret = tree{"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": tree{"name": name, "namespace": namespace}}
	}
	data, _ := secret["data"].(tree)
	if data == nil {
		data = tree{}
	}
	if key != "" && data[key] == nil {
		data[key] = base64.StdEncoding.EncodeToString([]byte("content-of-" + name))
	}
	secret["data"] = data
	w.Add(secret)
}

// secret adds a Secret with pairs of keys and contents.
func (w *world) secret(name, kind string, content ...string) {
	data := tree{}
	for i := 0; i < len(content); i += 2 {
		data[content[i]] = base64.StdEncoding.EncodeToString([]byte(content[i+1]))
	}
	w.Add(tree{"apiVersion": "v1", "kind": "Secret", "type": kind, "metadata": tree{"name": name, "namespace": namespace}, "data": data})
}

// packed are releases as Helm stores them.
var packed sync.Map

// store adds the Secret in which Helm stores the release.
func (w *world) store(status string, revision int) {
	known, found := packed.Load(w.release)
	if !found {
		stored, err := render.Stored(w.release)
		if err != nil {
			panic(err)
		}
		known = stored
		packed.Store(w.release, known)
	}
	w.Add(tree{
		"apiVersion": "v1", "kind": "Secret", "type": "helm.sh/release.v1",
		"metadata": tree{
			"name": fmt.Sprintf("sh.helm.release.v1.cf.v%d", revision), "namespace": namespace,
			"labels": tree{"owner": "helm", "name": "cf", "status": status, "version": fmt.Sprint(revision)},
		},
		"data": tree{"release": base64.StdEncoding.EncodeToString(known.([]byte))},
	})
}

// podOf returns a pod of a template that has been ready for an hour.
func podOf(name string, template tree) tree {
	var statuses []any
	spec := template["spec"].(tree)
	for _, container := range spec["containers"].([]any) {
		of := container.(tree)
		statuses = append(statuses, tree{"name": of["name"], "image": of["image"], "ready": true, "restartCount": 0, "state": tree{"running": tree{"startedAt": ago(time.Hour)}}})
	}
	spec = copyOf(spec)
	spec["nodeName"] = "node-1"
	return tree{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": tree{"name": name + "-0", "namespace": namespace, "labels": template["metadata"].(tree)["labels"]},
		"spec":     spec, "status": tree{"phase": "Running", "containerStatuses": statuses},
	}
}

func copyOf(of tree) tree {
	text, err := json.Marshal(of)
	if err != nil {
		panic(err)
	}
	var made tree
	_ = json.Unmarshal(text, &made)
	return made
}

// change changes the object at a path.
func (w *world) change(t testing.TB, path string, with func(tree)) {
	t.Helper()
	object := w.Object(path)
	require.NotNil(t, object, path)
	with(object)
	w.Add(object)
}

func core(resource, name string) string {
	return "/api/v1/namespaces/" + namespace + "/" + resource + "/" + name
}

// status changes the status of the first container of a pod.
func (w *world) status(t testing.TB, pod string, with tree) {
	t.Helper()
	w.change(t, core("pods", pod), func(of tree) {
		status := of["status"].(tree)["containerStatuses"].([]any)[0].(tree)
		for key, value := range with {
			status[key] = value
		}
	})
}

// event adds an event of two minutes ago.
func (w *world) event(kind, name, reason, message string) {
	w.Add(tree{
		"apiVersion": "v1", "kind": "Event", "type": "Warning", "metadata": tree{"name": strings.ToLower(kind + "-" + name + "-" + reason), "namespace": namespace},
		"involvedObject": tree{"kind": kind, "name": name}, "reason": reason, "message": message, "lastTimestamp": ago(2 * time.Minute),
	})
}

// log sets the log of the first container of a pod to lines of the last minute.
func (w *world) log(pod string, lines ...string) {
	var text strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&text, "%s %s\n", now.Add(-time.Minute+time.Duration(i)*time.Second).Format(time.RFC3339Nano), line)
	}
	w.Texts[core("pods", pod)+"/log"] = text.String()
}

// run runs the program with an API server for each context, which it only reads, and returns exit code, output and errors.
func run(t testing.TB, contexts map[string]*world, args ...string) (code int, out, failed string) {
	t.Helper()
	code, out, failed = started(t, contexts, args...)
	for name, w := range contexts {
		assert.Empty(t, w.Writes, "the command only reads, %s", name)
	}
	return code, out, failed
}

func started(t testing.TB, contexts map[string]*world, args ...string) (code int, out, failed string) {
	t.Helper()
	page, err := reportpage.New()
	require.NoError(t, err)
	var stdout, stderr bytes.Buffer
	code = validatecmd.Main(t.Context(), args, validatecmd.System{
		In: strings.NewReader(""), Out: &stdout, Err: &stderr, Version: "0.1.0", Now: func() time.Time { return now }, Getenv: os.Getenv,
		Connect: func(_ context.Context, how validatecmd.Connection) (validatecmd.Cluster, string, error) {
			w := contexts[how.Context]
			if w == nil {
				return nil, "", fmt.Errorf("kubeconfig: unknown context %q", how.Context)
			}
			server := httptest.NewServer(w)
			t.Cleanup(server.Close)
			client, err := cluster.New(server.URL, server.Client())
			return client, namespace, err
		},
		Further: []func(validatecmd.System, *int) *cobra.Command{doctorcmd.Command}, Running: doctor.Table(doctor.Subject{}),
		Formats: map[string]report.Format{"html": page},
	})
	return code, stdout.String(), stderr.String()
}

func examine(t *testing.T, w *world, args ...string) (int, string) {
	t.Helper()
	code, out, failed := run(t, map[string]*world{"": w}, slices.Concat([]string{"doctor", "--release", "cf", "-o", "short"}, w.args, args)...)
	return code, out + failed
}
