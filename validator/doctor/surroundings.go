package doctor

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

const (
	// deep is the length of a queue from which its items wait, and long the duration of a sync that does not end.
	deep, long = 100, 15 * time.Minute
	// full is the share of an event bus' storage, in percent, from which it counts as full.
	full = 85
	// askew is the difference of clocks that certificates and tokens tolerate, and behind how old a lease is that its kubelet renews every 10 seconds.
	askew, behind = 5 * time.Second, 60 * time.Second
	// jetStream is the port on which a server of the event bus reports its state, https://docs.nats.io/running-a-nats-service/nats_admin/monitoring.
	jetStream = 8222
)

// conditioned is an object of Argo Events with its conditions.
type conditioned struct {
	Metadata struct{ Name, Namespace string }
	Spec     struct {
		JetStream *struct {
			Persistence *struct{} `json:"persistence"`
		} `json:"jetstream"`
		NATS *struct {
			Native *struct {
				Persistence *struct{} `json:"persistence"`
			} `json:"native"`
		} `json:"nats"`
	}
	Status struct {
		Conditions []struct{ Type, Status, Reason, Message string }
	}
}

func checkBus(ctx context.Context, d *state) engine.Outcome {
	var outcome engine.Outcome
	for _, resource := range []struct{ plural, kind string }{{"eventbus", "EventBus"}, {"eventsources", "EventSource"}, {"sensors", "Sensor"}} {
		all, err := anywhere[conditioned](ctx, d, resource.plural)
		if err != nil {
			return unknown("BUS100", "The objects of Argo Events", err)
		}
		for _, each := range all {
			place := at(resource.kind, each.Metadata.Namespace, each.Metadata.Name)
			stream, streaming := each.Spec.JetStream, each.Spec.NATS
			if stream != nil && stream.Persistence == nil || streaming != nil && streaming.Native != nil && streaming.Native.Persistence == nil {
				outcome.Findings = append(outcome.Findings, findings.New("BUS101", place, each.Metadata.Name).WithFix(
					`kubectl patch eventbus %s --namespace %s --type merge --patch '{"spec": {"jetstream": {"persistence": {"accessMode": "ReadWriteOnce", "volumeSize": "1Gi"}}}}', before it has events: its servers start anew`,
					each.Metadata.Name, each.Metadata.Namespace))
			}
			for _, condition := range each.Status.Conditions {
				if condition.Status == "False" {
					outcome.Findings = append(outcome.Findings, findings.New("BUS103", place, resource.kind+" "+each.Metadata.Name, strings.TrimSpace(condition.Type+": "+condition.Reason+" "+condition.Message)))
				}
			}
		}
	}
	servers, note := d.servers(ctx)
	outcome.Findings, outcome.Note = append(outcome.Findings, servers...), note
	return outcome
}

// servers asks the servers of the event bus in the namespace for the state of their storage.
func (d *state) servers(ctx context.Context) ([]findings.Finding, string) {
	pods, err := d.pods(ctx)
	if err != nil {
		return nil, "servers were not asked: " + reason(err)
	}
	var list []findings.Finding
	for _, pod := range pods {
		if pod.Labels["eventbus-name"] == "" || !strings.Contains(pod.Name, "-js-") || pod.Status.Phase != corev1.PodRunning {
			continue
		}
		text, err := d.proxied(ctx, pod, jetStream, "jsz")
		if err != nil {
			return list, "the disks of the event bus were not measured: " + reason(err)
		}
		var state struct {
			Disabled bool
			Storage  float64
			Config   struct {
				MaxStorage float64 `json:"max_storage"`
			}
		}
		if err := json.Unmarshal(text, &state); err != nil {
			return list, "the disks of the event bus were not measured: " + pod.Name + " answers no JSON"
		}
		place := at("Pod", d.namespace, pod.Name)
		if state.Disabled {
			list = append(list, findings.New("BUS102", place, pod.Name).WithFix("kubectl delete pod %s --namespace %s, once its disk has space; "+
				"if all servers have disabled JetStream, then also kubectl delete pod --selector sensor-name --namespace %s, since the streams are gone", pod.Name, d.namespace, d.namespace))
		} else if used := 100 * state.Storage / max(state.Config.MaxStorage, 1); state.Config.MaxStorage > 0 && used >= full {
			list = append(list, findings.New("BUS104", place, pod.Name, int(used)))
		}
	}
	return list, ""
}

func checkLoad(ctx context.Context, d *state) engine.Outcome {
	pods, err := d.pods(ctx)
	if err != nil {
		return unknown("LOD100", "The pods", err)
	}
	list, notes := d.nodes(ctx, pods)
	applications, err := d.applications(ctx)
	if err != nil {
		notes = append(notes, "syncs were not measured: "+reason(err))
	}
	for _, each := range applications {
		state := each.Status.OperationState
		if since := d.Now.Sub(state.StartedAt.Time); state.Phase == "Running" && since > long {
			name := each.Metadata.Name
			list = append(list, findings.New("LOD102", at("Application", each.Metadata.Namespace, name), name, since.Round(time.Minute)).
				WithFix(`kubectl get application %s --namespace %s --output jsonpath='{.status.operationState.message}' says what it waits for; argocd app terminate-op %s ends it`, name, each.Metadata.Namespace, name))
		}
	}
	queues, note := d.queues(ctx, pods)
	if note != "" {
		notes = append(notes, note)
	}
	return engine.Outcome{Findings: append(list, queues...), Note: strings.Join(notes, "; ")}
}

// nodes finds nodes with pods of the runtime that lack something.
func (d *state) nodes(ctx context.Context, pods []corev1.Pod) ([]findings.Finding, []string) {
	nodes, err := listOf[corev1.Node](ctx, d.Cluster, "/api/v1/nodes", nil)
	if err != nil {
		return nil, []string{"nodes were not read: " + reason(err)}
	}
	var list []findings.Finding
	for _, node := range nodes {
		if !slices.ContainsFunc(pods, func(pod corev1.Pod) bool { return pod.Spec.NodeName == node.Name }) {
			continue
		}
		for _, condition := range node.Status.Conditions {
			healthy := corev1.ConditionFalse
			if condition.Type == corev1.NodeReady {
				healthy = corev1.ConditionTrue
			}
			known := []corev1.NodeConditionType{corev1.NodeReady, corev1.NodeDiskPressure, corev1.NodeMemoryPressure, corev1.NodePIDPressure, corev1.NodeNetworkUnavailable}
			if slices.Contains(known, condition.Type) && condition.Status != healthy {
				list = append(list, findings.New("LOD103", at("Node", "", node.Name), node.Name, fmt.Sprintf("%s %s (%s)", condition.Type, condition.Status, condition.Message)))
			}
		}
	}
	return list, nil
}

// queues finds the queues of controllers that are long, in the metrics of controller-runtime and client-go.
func (d *state) queues(ctx context.Context, pods []corev1.Pod) ([]findings.Finding, string) {
	var list []findings.Finding
	for _, pod := range pods {
		port := metricsPort(pod)
		if port == 0 || pod.Status.Phase != corev1.PodRunning {
			continue
		}
		text, err := d.proxied(ctx, pod, port, "metrics")
		switch {
		case cluster.Forbidden(err):
			return list, "queues were not measured: " + reason(err)
		case err != nil: // a port with TLS, or a program that starts
			continue
		}
		for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
			name, size, isQueue := depth(lines.Text())
			if isQueue && size > deep {
				made := findings.New("LOD101", at("Pod", d.namespace, pod.Name), name, d.workload(pod), int(size))
				if path := valuesOf(pod.Labels); path != "" {
					made = made.WithFix("%s", d.upgrade(path+".resources.limits.cpu=<more>"))
				}
				list = append(list, made)
			}
		}
	}
	return list, ""
}

func metricsPort(pod corev1.Pod) int32 {
	for _, container := range pod.Spec.Containers {
		for _, port := range container.Ports {
			if strings.Contains(port.Name, "metrics") {
				return port.ContainerPort
			}
		}
	}
	return 0
}

// depth reads a line such as workqueue_depth{name="app_reconciliation_queue"} 3, in the text format of Prometheus.
func depth(line string) (name string, size float64, isQueue bool) {
	rest, isQueue := strings.CutPrefix(line, "workqueue_depth{")
	at := strings.LastIndex(rest, "} ")
	if !isQueue || at < 0 {
		return "", 0, false
	}
	size, err := strconv.ParseFloat(strings.TrimSpace(rest[at+2:]), 64)
	_, name, _ = strings.Cut(rest[:at], `name="`)
	name, _, _ = strings.Cut(name, `"`)
	return name, size, err == nil
}

func checkClocks(ctx context.Context, d *state) engine.Outcome {
	server, err := d.Cluster.Clock(ctx)
	if err != nil {
		return unknown("CLK100", "The time of the API server", err)
	}
	var outcome engine.Outcome
	if off := d.Now.Sub(server); off.Abs() > askew {
		outcome.Findings = append(outcome.Findings, findings.New("CLK102", helmvalues.Place{}, off.Abs().Round(time.Second), direction(off)))
	}
	leases, err := listOf[coordinationv1.Lease](ctx, d.Cluster, "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases", nil)
	if err != nil {
		outcome.Note = "the clocks of the nodes were not compared: " + reason(err)
		return outcome
	}
	nodes, err := listOf[corev1.Node](ctx, d.Cluster, "/api/v1/nodes", nil)
	if err != nil {
		outcome.Note = "the clocks of the nodes were not compared: " + reason(err)
		return outcome
	}
	for _, lease := range leases {
		if lease.Spec.RenewTime == nil || !ready(nodes, lease.Name) {
			continue
		}
		if off := lease.Spec.RenewTime.Sub(server); off > askew || off < -behind {
			outcome.Findings = append(outcome.Findings, findings.New("CLK101", at("Node", "", lease.Name), lease.Name, off.Abs().Round(time.Second), direction(off)))
		}
	}
	return outcome
}

func direction(off time.Duration) string {
	if off > 0 {
		return "ahead"
	}
	return "behind"
}

// ready reports whether a node with a name is ready: the lease of one that is not may be old.
func ready(nodes []corev1.Node, name string) bool {
	return slices.ContainsFunc(nodes, func(node corev1.Node) bool {
		return node.Name == name && slices.ContainsFunc(node.Status.Conditions, func(condition corev1.NodeCondition) bool {
			return condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue
		})
	})
}
