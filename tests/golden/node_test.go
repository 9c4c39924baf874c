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

// The documented node, and what is not the runtime's on it: as docs/scale.md says with its sources.
const (
	nodeCPU, nodeMemory           = "2", "5000M"
	workflowCPU, workflowMemory   = "500m", "1Gi"
	reservedCPU, reservedMemory   = "70m", "1258Mi"
	clusterPodsCPU, clusterMemory = "300m", "190Mi"
)

// amount is CPU and memory.
type amount struct{ cpu, memory resource.Quantity }

func amountOf(cpu, memory string) amount {
	return amount{resource.MustParse(cpu), resource.MustParse(memory)}
}

func (a *amount) add(b amount) {
	a.cpu.Add(b.cpu)
	a.memory.Add(b.memory)
}

// requestOf is what the scheduler counts of a pod: the sum of its containers or, where it is more, its largest init container.
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

// atOnce is how many pods of an object run at the same time on one node; an autoscaled one has its least.
func atOnce(t *testing.T, object *unstructured.Unstructured, least map[string]int64) int64 {
	t.Helper()
	switch object.GetKind() {
	case "DaemonSet":
		return 1
	case "Deployment", "StatefulSet":
		if scaled, is := least[object.GetName()]; is {
			return scaled
		}
		return number(t, object, 1, "spec", "replicas")
	}
	return 0 // Jobs of hooks and pods of tests come when no other does
}

// number is a whole number in an object.
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

// sum is what all pods request that run at once, and how many they are.
func sum(t *testing.T, documents []golden.Document) (all amount, pods int64) {
	t.Helper()
	least := map[string]int64{}
	for _, document := range documents {
		if document.Object.GetKind() == "HorizontalPodAutoscaler" {
			name, _, err := unstructured.NestedString(document.Object.Object, "spec", "scaleTargetRef", "name")
			require.NoError(t, err)
			least[name] = number(t, document.Object, 1, "spec", "minReplicas")
		}
	}
	for _, document := range documents {
		count := atOnce(t, document.Object, least)
		podSpecs(t, document.Object.Object, func(spec corev1.PodSpec) {
			for range count {
				all.add(requestOf(spec))
				pods++
			}
		})
	}
	return all, pods
}

// The default runtime leaves room for a workflow on the node that is documented, beside what Kubernetes keeps and runs there.
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
	for _, said := range [][2]string{
		{nodeCPU, nodeMemory}, {workflowCPU, workflowMemory}, {reservedCPU, reservedMemory}, {clusterPodsCPU, clusterMemory},
	} {
		assert.Contains(t, text, fmt.Sprintf("| %s | %s |", said[0], said[1]))
	}

	all := runtime
	all.add(amountOf(workflowCPU, workflowMemory))
	all.add(amountOf(reservedCPU, reservedMemory))
	all.add(amountOf(clusterPodsCPU, clusterMemory))
	node := amountOf(nodeCPU, nodeMemory)
	assert.LessOrEqual(t, all.cpu.MilliValue(), node.cpu.MilliValue(), "CPU: %s of %s", all.cpu.String(), node.cpu.String())
	assert.LessOrEqual(t, all.memory.Value(), node.memory.Value(), "memory: %s of %s", all.memory.String(), node.memory.String())
}

// The table of docs/scale.md has every container that runs by default, with what it requests.
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
