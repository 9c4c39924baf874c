// Package cost measures the resource usage of a runtime's containers, idle and under load: CPU time and memory, as the kubelet reports them, next to
// their requests.
package cost

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubelet/pkg/apis/stats/v1alpha1"
)

// Usage is the resource usage of the containers of one name in the pods of one workload; of several pods it is the maximum.
type Usage struct {
	Workload, Container string
	Pods                int
	// CPU is in thousandths of a processor, averaged over the time of the measurement.
	CPU float64
	// Memory is the largest working set, in bytes.
	Memory   uint64
	Requests corev1.ResourceList
}

// id identifies a container of a pod.
type id struct{ namespace, pod, container string }

// sample is the usage of a container up to a time.
type sample struct {
	at     time.Time
	cpu    time.Duration
	memory uint64
}

// Measure reads the usage of a namespace's containers from every kubelet at each interval until the time is over.
func Measure(ctx context.Context, client kubernetes.Interface, namespace string, duration, interval time.Duration) ([]Usage, error) {
	seen := map[id][]sample{}
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for end := time.Now().Add(duration); ; {
		if err := read(ctx, client, []string{namespace}, seen); err != nil {
			return nil, err
		}
		if time.Now().After(end) {
			break
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("measure the namespace %s: %w", namespace, ctx.Err())
		case <-ticks.C:
		}
	}
	pods, err := podsOf(ctx, client, namespace)
	if err != nil {
		return nil, err
	}
	return usages(pods, seen)
}

// podsOf returns the pods of namespaces.
func podsOf(ctx context.Context, client kubernetes.Interface, namespaces ...string) ([]corev1.Pod, error) {
	var pods []corev1.Pod
	for _, namespace := range namespaces {
		list, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("list the pods of the namespace %s: %w", namespace, err)
		}
		pods = append(pods, list.Items...)
	}
	return pods, nil
}

// read adds the current reports of all kubelets to seen.
func read(ctx context.Context, client kubernetes.Interface, namespaces []string, seen map[id][]sample) error {
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list the nodes: %w", err)
	}
	for _, node := range nodes.Items {
		text, err := client.CoreV1().RESTClient().Get().Resource("nodes").Name(node.Name).SubResource("proxy").Suffix("stats/summary").DoRaw(ctx)
		if err != nil {
			return fmt.Errorf("read what the kubelet of the node %s reports of its containers: %w", node.Name, err)
		}
		var summary v1alpha1.Summary
		if err := json.Unmarshal(text, &summary); err != nil {
			return fmt.Errorf("read what the kubelet of the node %s reports of its containers: %w", node.Name, err)
		}
		add(seen, summary, namespaces...)
	}
	return nil
}

// add adds the samples of namespaces. A kubelet repeats a sample until it takes the next.
func add(seen map[id][]sample, summary v1alpha1.Summary, namespaces ...string) {
	for _, pod := range summary.Pods {
		if !slices.Contains(namespaces, pod.PodRef.Namespace) {
			continue
		}
		for _, container := range pod.Containers {
			if container.CPU == nil || container.CPU.UsageCoreNanoSeconds == nil || container.Memory == nil || container.Memory.WorkingSetBytes == nil {
				continue // it has just started, or has exited
			}
			of := id{pod.PodRef.Namespace, pod.PodRef.Name, container.Name}
			if all := seen[of]; len(all) > 0 && !container.CPU.Time.After(all[len(all)-1].at) {
				continue
			}
			cpu := time.Duration(*container.CPU.UsageCoreNanoSeconds) //nolint:gosec // 292 years of processor time
			seen[of] = append(seen[of], sample{at: container.CPU.Time.Time, cpu: cpu, memory: *container.Memory.WorkingSetBytes})
		}
	}
}

// usages joins the samples with the pods that still exist; a running container with fewer than two samples is an error.
func usages(pods []corev1.Pod, seen map[id][]sample) ([]Usage, error) {
	type key struct{ workload, container string }
	found := map[key]Usage{}
	for _, pod := range pods {
		if pod.Status.Phase != corev1.PodRunning {
			continue
		}
		for _, container := range pod.Spec.Containers {
			samples := seen[id{pod.Namespace, pod.Name, container.Name}]
			if len(samples) < 2 {
				return nil, fmt.Errorf("the container %s of the pod %s was reported %d times: measure for longer, when all pods are ready",
					container.Name, pod.Name, len(samples))
			}
			of := key{workload(pod), container.Name}
			usage := found[of]
			usage.Workload, usage.Container, usage.Requests = of.workload, of.container, container.Resources.Requests
			usage.Pods++
			usage.CPU = max(usage.CPU, average(samples))
			for _, s := range samples {
				usage.Memory = max(usage.Memory, s.memory)
			}
			found[of] = usage
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b Usage) int {
		return cmp.Or(cmp.Compare(a.Workload, b.Workload), cmp.Compare(a.Container, b.Container))
	}), nil
}

// average returns the CPU usage between the first and the last sample, in thousandths of a CPU. The counter of a restarted container begins at zero.
func average(samples []sample) float64 {
	var used time.Duration
	for i, now := range samples[1:] {
		if before := samples[i]; now.cpu >= before.cpu {
			used += now.cpu - before.cpu
		} else {
			used += now.cpu
		}
	}
	return 1000 * used.Seconds() / samples[len(samples)-1].at.Sub(samples[0].at).Seconds()
}

// workload returns the name of the owner of a pod.
func workload(pod corev1.Pod) string {
	owner := metav1.GetControllerOf(&pod)
	if owner == nil {
		return pod.Name
	}
	name, _ := strings.CutSuffix(owner.Name, "-"+pod.Labels["pod-template-hash"])
	return name
}
