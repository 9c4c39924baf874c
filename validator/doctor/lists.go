package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/preview"
)

// lists are the lists that several checks read.
type lists struct {
	pods         once[corev1.Pod]
	events       once[corev1.Event]
	secrets      once[corev1.Secret]
	configMaps   once[corev1.ConfigMap]
	applications once[application]
}

// once is a list that is read once. A reader whose time is over does not spoil it for others.
type once[T any] struct {
	mu    sync.Mutex
	done  bool
	items []T
	err   error
}

func (o *once[T]) get(ctx context.Context, read func() ([]T, error)) ([]T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.done {
		o.items, o.err = read()
		o.done = ctx.Err() == nil
	}
	return o.items, o.err
}

// listOf reads the objects at an API path.
func listOf[T any](ctx context.Context, from Cluster, path string, query url.Values) ([]T, error) {
	found, err := from.List(ctx, path, query)
	if err != nil {
		return nil, err
	}
	items := make([]T, len(found))
	for i, text := range found {
		if err := json.Unmarshal(text, &items[i]); err != nil {
			return nil, fmt.Errorf("the list %s: %w", path, err)
		}
	}
	return items, nil
}

func (d *state) core(resource string) string {
	return "/api/v1/namespaces/" + d.namespace + "/" + resource
}
func (d *state) apps(resource string) string {
	return "/apis/apps/v1/namespaces/" + d.namespace + "/" + resource
}

func (d *state) events(ctx context.Context) ([]corev1.Event, error) {
	return d.read.events.get(ctx, func() ([]corev1.Event, error) {
		found, err := listOf[corev1.Event](ctx, d.Cluster, d.core("events"), nil)
		slices.SortStableFunc(found, func(a, b corev1.Event) int { return when(a).Compare(when(b)) })
		return found, err
	})
}

// when returns the time at which an event was seen last.
func when(event corev1.Event) time.Time {
	for _, at := range []time.Time{event.LastTimestamp.Time, event.EventTime.Time, event.FirstTimestamp.Time} {
		if !at.IsZero() {
			return at
		}
	}
	return event.CreationTimestamp.Time
}

// lastEvent returns the message of the newest event about an object that is younger than maxAge and has one of the reasons, "" if there is none.
func (d *state) lastEvent(ctx context.Context, kind, name string, maxAge time.Duration, reasons ...string) string {
	events, _ := d.events(ctx) // without events, findings have less detail
	for _, each := range slices.Backward(events) {
		about := each.InvolvedObject
		if about.Kind == kind && about.Name == name && slices.Contains(reasons, each.Reason) && d.Now.Sub(when(each)) < maxAge {
			return strings.TrimSpace(each.Message)
		}
	}
	return ""
}

// secrets are those of the namespace, without what Helm stores, whose size exceeds a reply.
func (d *state) secrets(ctx context.Context) ([]corev1.Secret, error) {
	return d.read.secrets.get(ctx, func() ([]corev1.Secret, error) {
		return listOf[corev1.Secret](ctx, d.Cluster, d.core("secrets"), url.Values{"fieldSelector": {"type!=helm.sh/release.v1"}})
	})
}

func (d *state) configMaps(ctx context.Context) ([]corev1.ConfigMap, error) {
	return d.read.configMaps.get(ctx, func() ([]corev1.ConfigMap, error) {
		return listOf[corev1.ConfigMap](ctx, d.Cluster, d.core("configmaps"), url.Values{"limit": {"20"}})
	})
}

// ofEvents are the labels that the controller of Argo Events gives to the pods of a bus, an event source and a Sensor.
var ofEvents = []string{"eventbus-name", "eventsource-name", "sensor-name"}

// pods are those of the release's workloads, and those of Argo Events, in the order of their names; pods that are being deleted are left out.
func (d *state) pods(ctx context.Context) ([]corev1.Pod, error) {
	return d.read.pods.get(ctx, func() ([]corev1.Pod, error) {
		all, err := listOf[corev1.Pod](ctx, d.Cluster, d.core("pods"), nil)
		all = slices.DeleteFunc(all, func(pod corev1.Pod) bool {
			return pod.DeletionTimestamp != nil || d.workload(pod) == "" && !slices.ContainsFunc(ofEvents, func(label string) bool { return pod.Labels[label] != "" })
		})
		slices.SortFunc(all, func(a, b corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
		return all, err
	})
}

// workload is a Deployment, StatefulSet or DaemonSet of the release.
type workload struct {
	kind, name string
	selector   labels.Selector
	replicas   *int32
	template   corev1.PodTemplateSpec
}

// workloadsOf returns the workloads among objects.
func workloadsOf(parts []preview.Part) []workload {
	var all []workload
	for _, part := range parts {
		var content struct {
			Spec struct {
				Replicas *int32
				Selector *metav1.LabelSelector
				Template corev1.PodTemplateSpec
			}
		}
		if !slices.Contains([]string{"Deployment", "StatefulSet", "DaemonSet"}, part.Kind) || into(part.Tree, &content) != nil {
			continue
		}
		selector, err := metav1.LabelSelectorAsSelector(content.Spec.Selector)
		if err == nil {
			all = append(all, workload{part.Kind, part.Name, selector, content.Spec.Replicas, content.Spec.Template})
		}
	}
	return all
}

// of returns the workload of the release with a kind and a name, nil if there is none.
func (d *state) of(kind, name string) *workload {
	for i, each := range d.workloads {
		if each.kind == kind && each.name == name {
			return &d.workloads[i]
		}
	}
	return nil
}

// workload returns the workload of the release that selects a pod, as Kind/name, "" if there is none.
func (d *state) workload(pod corev1.Pod) string {
	for _, each := range d.workloads {
		if each.selector.Matches(labels.Set(pod.Labels)) {
			return each.kind + "/" + each.name
		}
	}
	return ""
}

// into decodes a tree into a type.
func into(tree map[string]any, target any) error {
	text, err := json.Marshal(tree)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, target)
}

// application is an Application of Argo CD, reduced to what checks read.
type application struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Source  source   `json:"source"`
		Sources []source `json:"sources"`
	} `json:"spec"`
	Status struct {
		Conditions []struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"conditions"`
		OperationState struct {
			Phase     string      `json:"phase"`
			StartedAt metav1.Time `json:"startedAt"`
		} `json:"operationState"`
	} `json:"status"`
}

type source struct {
	RepoURL string `json:"repoURL"`
}

const argo = "/apis/argoproj.io/v1alpha1"

// applications are those of the cluster, or of the namespace if the cluster's may not be read; none if Argo CD is not installed.
func (d *state) applications(ctx context.Context) ([]application, error) {
	return d.read.applications.get(ctx, func() ([]application, error) {
		return anywhere[application](ctx, d, "applications")
	})
}

// anywhere lists the objects of a kind of Argo in all namespaces, or in that of the release if those of the cluster may not be read.
func anywhere[T any](ctx context.Context, d *state, resource string) ([]T, error) {
	few := url.Values{"limit": {"20"}}
	found, err := listOf[T](ctx, d.Cluster, argo+"/"+resource, few)
	if cluster.Forbidden(err) {
		found, err = listOf[T](ctx, d.Cluster, argo+"/namespaces/"+d.namespace+"/"+resource, few)
	}
	if cluster.NotFound(err) {
		return nil, nil
	}
	return found, err
}
