package bundle

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/preview"
)

// kinds are the objects of a bundle, in the namespace unless they belong to none. The objects of Argo are in all namespaces.
var kinds = []struct {
	root, resource, kind string
	wide                 bool
}{
	{"/api/v1", "pods", "Pod", false}, {"/api/v1", "services", "Service", false}, {"/api/v1", "configmaps", "ConfigMap", false},
	{"/api/v1", "persistentvolumeclaims", "PersistentVolumeClaim", false}, {"/api/v1", "serviceaccounts", "ServiceAccount", false},
	{"/api/v1", "resourcequotas", "ResourceQuota", false}, {"/api/v1", "limitranges", "LimitRange", false},
	{"/apis/apps/v1", "deployments", "Deployment", false}, {"/apis/apps/v1", "statefulsets", "StatefulSet", false}, {"/apis/apps/v1", "replicasets", "ReplicaSet", false},
	{"/apis/batch/v1", "jobs", "Job", false}, {"/apis/batch/v1", "cronjobs", "CronJob", false}, {"/apis/discovery.k8s.io/v1", "endpointslices", "EndpointSlice", false},
	{"/apis/networking.k8s.io/v1", "ingresses", "Ingress", false}, {"/apis/networking.k8s.io/v1", "networkpolicies", "NetworkPolicy", false},
	{"/apis/gateway.networking.k8s.io/v1", "httproutes", "HTTPRoute", false}, {"/apis/policy/v1", "poddisruptionbudgets", "PodDisruptionBudget", false},
	{"/apis/autoscaling/v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler", false}, {"/apis/coordination.k8s.io/v1", "leases", "Lease", false},
	{"/apis/rbac.authorization.k8s.io/v1", "roles", "Role", false}, {"/apis/rbac.authorization.k8s.io/v1", "rolebindings", "RoleBinding", false},
	{"/api/v1", "nodes", "Node", true}, {"/apis/apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition", true},
	{"/apis/storage.k8s.io/v1", "storageclasses", "StorageClass", true},
	{argo, "applications", "Application", true}, {argo, "applicationsets", "ApplicationSet", true}, {argo, "appprojects", "AppProject", true},
	{argo, "eventbus", "EventBus", true}, {argo, "eventsources", "EventSource", true}, {argo, "sensors", "Sensor", true},
	{argo, "rollouts", "Rollout", true}, {argo, "workflowtemplates", "WorkflowTemplate", true}, {argo, "cronworkflows", "CronWorkflow", true},
}

const (
	argo = "/apis/argoproj.io/v1alpha1"
	// page is the number of objects in one reply, which may be large.
	page = "20"
)

// learn reads the Secrets, whose content is removed from everything, and adds their names and keys.
func (b *bundle) learn(ctx context.Context) error {
	found, err := b.Cluster.List(ctx, "/api/v1/namespaces/"+b.namespace+"/secrets", url.Values{"fieldSelector": {"type!=helm.sh/release.v1"}})
	if err != nil {
		return fmt.Errorf("the Secrets of the namespace %s cannot be read, and their content could not be removed from the bundle: %w", b.namespace, err)
	}
	for _, text := range found {
		var secret corev1.Secret
		if err := json.Unmarshal(text, &secret); err != nil {
			return fmt.Errorf("a Secret of the namespace %s: %w", b.namespace, err)
		}
		b.redact.secret(secret.Data)
	}
	b.redact.values("", b.Release.Config)
	parts, err := preview.Parts(b.Release)
	if err != nil {
		return fmt.Errorf("the manifest of the release: %w", err)
	}
	for _, part := range parts {
		if part.Kind == "Secret" {
			var secret corev1.Secret
			text, err := json.Marshal(part.Tree)
			if err == nil && json.Unmarshal(text, &secret) == nil {
				for key, value := range secret.StringData {
					secret.Data = map[string][]byte{key: []byte(value)}
					b.redact.secret(secret.Data)
				}
				b.redact.secret(secret.Data)
			}
		}
	}
	b.list("secrets", "Secret", found)
	return nil
}

// list adds the objects of a kind.
func (b *bundle) list(resource, kind string, found []json.RawMessage) {
	type named struct{ name, text string }
	var all []named
	for _, text := range found {
		var object map[string]any
		if err := json.Unmarshal(text, &object); err != nil {
			b.leave("an object of the kind %s, which is not JSON", kind)
			continue
		}
		metadata, _ := object["metadata"].(map[string]any)
		if kind == "CustomResourceDefinition" {
			object = map[string]any{"metadata": metadata, "versions": served(object)}
		}
		made, err := yaml.Marshal(b.redact.object(kind, object))
		if err != nil {
			b.leave("an object of the kind %s: %v", kind, err)
			continue
		}
		all = append(all, named{fmt.Sprint(metadata["namespace"], "/", metadata["name"]), string(made)})
	}
	if len(all) == 0 {
		return
	}
	slices.SortFunc(all, func(a, b named) int { return strings.Compare(a.name, b.name) })
	var texts []string
	for _, each := range all {
		texts = append(texts, "# "+each.name+"\n"+each.text)
	}
	b.add("objects/"+resource+".yaml", strings.Join(texts, "---\n"))
}

// served returns the versions of a definition.
func served(definition map[string]any) []any {
	spec, _ := definition["spec"].(map[string]any)
	versions, _ := spec["versions"].([]any)
	var names []any
	for _, version := range versions {
		if each, ok := version.(map[string]any); ok {
			names = append(names, map[string]any{"name": each["name"], "served": each["served"], "storage": each["storage"]})
		}
	}
	return names
}

func (b *bundle) objects(ctx context.Context) {
	for _, each := range kinds {
		path, few := each.root+"/namespaces/"+b.namespace+"/"+each.resource, url.Values{"limit": {page}}
		if each.resource == "customresourcedefinitions" {
			few.Set("limit", "1") // one may have a megabyte
		}
		within := path
		if each.wide {
			path = each.root + "/" + each.resource
		}
		found, err := b.Cluster.List(ctx, path, few)
		if cluster.Forbidden(err) && each.wide && each.root == argo {
			b.leave("objects of the kind %s in other namespaces: no permission to list them", each.kind)
			found, err = b.Cluster.List(ctx, within, few)
		}
		switch {
		case cluster.NotFound(err): // a kind that the cluster does not know
		case err != nil:
			b.leave("objects of the kind %s: %v", each.kind, err)
		default:
			b.list(each.resource, each.kind, found)
		}
	}
}

// release adds values and manifest of the release.
func (b *bundle) release() {
	values, err := yaml.Marshal(b.redact.tree("", b.Release.Config))
	if err != nil {
		b.leave("the values of the release: %v", err)
	}
	b.add("release/values.yaml", string(values))
	var documents []string
	for document := range strings.SplitSeq("\n"+b.Release.Manifest, "\n---") {
		var object map[string]any
		if yaml.Unmarshal([]byte(document), &object) != nil || object == nil {
			continue
		}
		kind, _ := object["kind"].(string)
		if kind == "CustomResourceDefinition" {
			continue
		}
		made, err := yaml.Marshal(b.redact.object(kind, object))
		if err == nil {
			documents = append(documents, string(made))
		}
	}
	b.add("release/manifest.yaml", strings.Join(documents, "---\n"))
}

func (b *bundle) events(ctx context.Context) {
	found, err := b.Cluster.List(ctx, "/api/v1/namespaces/"+b.namespace+"/events", nil)
	if err != nil {
		b.leave("events: %v", err)
		return
	}
	type line struct {
		at   time.Time
		text string
	}
	var all []line
	for _, text := range found {
		var event corev1.Event
		if json.Unmarshal(text, &event) != nil {
			continue
		}
		at := event.LastTimestamp.Time
		if at.IsZero() {
			at = cmp.Or(event.EventTime.Time, event.CreationTimestamp.Time)
		}
		if b.Now.Sub(at) <= b.Since {
			all = append(all, line{at, fmt.Sprintf("%s %s %s %s/%s: %s", at.UTC().Format(time.RFC3339), event.Type, event.Reason,
				event.InvolvedObject.Kind, event.InvolvedObject.Name, strings.ReplaceAll(event.Message, "\n", " "))})
		}
	}
	slices.SortFunc(all, func(a, b line) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.text, b.text)) })
	var texts strings.Builder
	for _, each := range all {
		texts.WriteString(each.text + "\n")
	}
	b.add("events.txt", texts.String())
}

// component returns the name of a pod's workload, by which --component chooses; "" for pods of Workflows and of others.
func component(pod corev1.Pod) string {
	for _, label := range []string{"eventbus-name", "eventsource-name", "sensor-name"} {
		if pod.Labels[label] != "" {
			return pod.Labels[label]
		}
	}
	if pod.Labels["app.kubernetes.io/instance"] == "" || pod.Labels["workflows.argoproj.io/workflow"] != "" {
		return ""
	}
	return pod.Labels["app.kubernetes.io/name"]
}

// logSize is the number of bytes that are read from one log.
const logSize = 2 << 20

// patience is how long the metrics of a pod may take.
const patience = 3 * time.Second

// pods adds logs and metrics.
func (b *bundle) pods(ctx context.Context) {
	path := "/api/v1/namespaces/" + b.namespace + "/pods"
	found, err := b.Cluster.List(ctx, path, url.Values{"limit": {page}})
	if err != nil {
		b.leave("logs: %v", err)
		return
	}
	for _, text := range found {
		var pod corev1.Pod
		if json.Unmarshal(text, &pod) != nil {
			continue
		}
		name := component(pod)
		if name == "" || len(b.Components) > 0 && !slices.Contains(b.Components, name) {
			continue
		}
		for _, status := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
			b.log(ctx, path, pod.Name, status.Name, false)
			if status.RestartCount > 0 {
				b.log(ctx, path, pod.Name, status.Name, true)
			}
		}
		b.metrics(ctx, path, pod)
	}
}

func (b *bundle) log(ctx context.Context, path, pod, container string, previous bool) {
	query := url.Values{"container": {container}, "timestamps": {"true"}, "sinceSeconds": {strconv.Itoa(int(b.Since.Seconds()))}, "limitBytes": {strconv.Itoa(logSize)}, "tailLines": {"10000"}}
	name := "logs/" + pod + "/" + container
	if previous {
		query.Set("previous", "true")
		name += ".previous"
	}
	text, err := b.Cluster.Text(ctx, "pods/log", path+"/"+url.PathEscape(pod)+"/log", query, logSize)
	switch {
	case err != nil:
		b.leave("%s: %v", name, err)
	case len(text) > 0:
		b.add(name+".log", string(text))
	}
}

func (b *bundle) metrics(ctx context.Context, path string, pod corev1.Pod) {
	for _, container := range pod.Spec.Containers {
		for _, port := range container.Ports {
			if !strings.Contains(port.Name, "metrics") {
				continue
			}
			ctx, cancel := context.WithTimeout(ctx, patience) // a policy may drop the packets
			defer cancel()
			text, err := b.Cluster.Text(ctx, "pods/proxy", fmt.Sprintf("%s/%s:%d/proxy/metrics", path, url.PathEscape(pod.Name), port.ContainerPort), nil, logSize)
			if err != nil {
				b.leave("metrics of %s: %v", pod.Name, err)
				return
			}
			b.add("metrics/"+pod.Name+".txt", string(text))
			return
		}
	}
}

func (b *bundle) versions(ctx context.Context) {
	kubernetes, err := b.Cluster.Version(ctx)
	if err != nil {
		b.leave("the version of Kubernetes: %v", err)
	}
	text, err := json.MarshalIndent(map[string]any{
		"validate-values": b.Version, "kubernetes": kubernetes, "chart": b.Release.Chart.Metadata.Name + " " + b.Release.Chart.Metadata.Version,
		"release": b.Release.Name, "revision": b.Release.Version, "status": b.Release.Info.Status, "namespace": b.namespace,
	}, "", "  ")
	if err != nil {
		b.leave("versions: %v", err)
		return
	}
	b.add("versions.json", string(text)+"\n")
}
