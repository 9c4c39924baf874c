package golden_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/tests/golden"
)

// Resources of the documented node and of everything on it except the runtime, as in docs/scale.md, which names the sources.
const (
	nodeCPU, nodeMemory           = "2", "5000M"
	workflowCPU, workflowMemory   = "500m", "1Gi"
	reservedCPU, reservedMemory   = "70m", "1258Mi"
	clusterPodsCPU, clusterMemory = "300m", "190Mi"
)

// amount is an amount of CPU and memory.
type amount struct{ cpu, memory resource.Quantity }

func amountOf(cpu, memory string) amount {
	return amount{resource.MustParse(cpu), resource.MustParse(memory)}
}

func (a *amount) add(b amount) {
	a.cpu.Add(b.cpu)
	a.memory.Add(b.memory)
}

// requestOf returns the requests that the scheduler counts for a pod: the sum of its containers or, if larger, its largest init container.
func requestOf(spec corev1.PodSpec) amount {
	var all amount
	for _, container := range spec.Containers {
		all.add(amount{*container.Resources.Requests.Cpu(), *container.Resources.Requests.Memory()})
	}
	for _, container := range spec.InitContainers {
		if cpu := container.Resources.Requests.Cpu(); cpu.Cmp(all.cpu) > 0 {
			all.cpu = *cpu
		}
		if memory := container.Resources.Requests.Memory(); memory.Cmp(all.memory) > 0 {
			all.memory = *memory
		}
	}
	return all
}

// atOnce returns how many pods of an object run at the same time on one node; autoscaled workloads run their minimum.
func atOnce(t *testing.T, object *unstructured.Unstructured, minimum map[string]int64) int64 {
	t.Helper()
	switch object.GetKind() {
	case "DaemonSet":
		return 1
	case "Deployment", "StatefulSet":
		if scaled, is := minimum[object.GetName()]; is {
			return scaled
		}
		return number(t, object, 1, "spec", "replicas")
	}
	return 0 // Jobs of hooks and test pods do not run at the same time as others
}

// number returns an integer field of an object, or unset if the field is missing.
func number(t *testing.T, object *unstructured.Unstructured, unset int64, path ...string) int64 {
	t.Helper()
	value, found, err := unstructured.NestedFieldNoCopy(object.Object, path...)
	require.NoError(t, err)
	if !found {
		return unset
	}
	parsed, err := resource.ParseQuantity(fmt.Sprint(value))
	require.NoError(t, err)
	return parsed.Value()
}

// sum returns the total requests and the number of the pods that run at the same time.
func sum(t *testing.T, documents []golden.Document) (all amount, pods int64) {
	t.Helper()
	minimum := map[string]int64{}
	for _, document := range documents {
		if document.Object.GetKind() == "HorizontalPodAutoscaler" {
			name, _, err := unstructured.NestedString(document.Object.Object, "spec", "scaleTargetRef", "name")
			require.NoError(t, err)
			minimum[name] = number(t, document.Object, 1, "spec", "minReplicas")
		}
	}
	for _, document := range documents {
		count := atOnce(t, document.Object, minimum)
		podSpecs(t, document.Object.Object, func(spec corev1.PodSpec) {
			for range count {
				all.add(requestOf(spec))
				pods++
			}
		})
	}
	return all, pods
}

// The default runtime, a workflow, the reserved resources and the pods of Kubernetes fit on the documented node.
func TestDocumentedNodeHasRoomForAWorkflow(t *testing.T) {
	t.Parallel()
	loaded, root := chart(t)
	documents, err := loaded.Documents(golden.Cases()[0])
	require.NoError(t, err)
	runtime, pods := sum(t, documents)
	page, err := os.ReadFile(filepath.Join(root, "docs", "scale.md"))
	require.NoError(t, err)
	text := string(page)
	assert.Contains(t, text, fmt.Sprintf("%d pods request %s CPU and %s of memory", pods, runtime.cpu.String(), runtime.memory.String()))
	for _, cells := range [][2]string{
		{nodeCPU, nodeMemory}, {workflowCPU, workflowMemory}, {reservedCPU, reservedMemory}, {clusterPodsCPU, clusterMemory},
	} {
		assert.Contains(t, text, fmt.Sprintf("| %s | %s |", cells[0], cells[1]))
	}

	all := runtime
	all.add(amountOf(workflowCPU, workflowMemory))
	all.add(amountOf(reservedCPU, reservedMemory))
	all.add(amountOf(clusterPodsCPU, clusterMemory))
	node := amountOf(nodeCPU, nodeMemory)
	assert.LessOrEqual(t, all.cpu.MilliValue(), node.cpu.MilliValue(), "CPU: %s of %s", all.cpu.String(), node.cpu.String())
	assert.LessOrEqual(t, all.memory.Value(), node.memory.Value(), "memory: %s of %s", all.memory.String(), node.memory.String())
}

// The table of docs/scale.md lists every container that runs by default, with its requests.
func TestScalePageHasEveryContainer(t *testing.T) {
	t.Parallel()
	loaded, root := chart(t)
	documents, err := loaded.Documents(golden.Cases()[0])
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(root, "docs", "scale.md"))
	require.NoError(t, err)
	listed := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([a-z-]+) \| ([a-z-]+) \| (\d+) \| \S+ \| \S+ \| (\S+) \| (\S+) \|$`).FindAllStringSubmatch(string(page), -1) {
		listed[row[1]+" "+row[2]] = strings.Join(row[3:], " ")
	}
	rendered := map[string]string{}
	for _, document := range documents {
		count := atOnce(t, document.Object, nil)
		podSpecs(t, document.Object.Object, func(spec corev1.PodSpec) {
			for _, container := range spec.Containers {
				if requests := container.Resources.Requests; count > 0 {
					rendered[document.Object.GetName()+" "+container.Name] = fmt.Sprintf("%d %s %s", count, requests.Cpu(), requests.Memory())
				}
			}
		})
	}
	assert.Equal(t, rendered, listed)
}
