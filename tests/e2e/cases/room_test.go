//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/install"
)

// big is a workflow whose pod requests the resources that docs/scale.md reserves for it.
var big = regexp.MustCompile(`resources: \{requests.*`).ReplaceAllString(hello, "resources: {requests: {cpu: 500m, memory: 1Gi}}")

// The memory of the documented node, and what a kubelet reserves of it (docs/scale.md).
const (
	nodeMemory, reservedCPU, reservedMemory = "5000M", "70m", "1258Mi"
)

// documentedNode returns the same environment with default requests, on a node that has, for the rest of the test, the room of the documented one: a pod
// requests the rest of the memory, and what a kubelet reserves. The node's CPUs are those of this machine, so that a machine with 2 has the documented
// ones.
func (e *environment) documentedNode(t *testing.T) *environment {
	t.Helper()
	nodes, err := e.client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, nodes.Items, 1)
	rest := nodes.Items[0].Status.Allocatable.Memory().DeepCopy()
	rest.Sub(resource.MustParse(nodeMemory))
	rest.Add(resource.MustParse(reservedMemory))
	require.Positive(t, rest.Sign(), "the node has less memory than the documented one")
	e.applyHere(t, namespaceOf("e2e-rest"))
	e.apply(t, strings.NewReplacer("IMAGE", standIn, "CPU", reservedCPU, "MEMORY", rest.String()).Replace(objects("rest")))
	eventually(t, "the rest of the node is taken", time.Minute, func(ctx context.Context) error {
		pod, err := e.client.CoreV1().Pods("e2e-rest").Get(ctx, "rest", metav1.GetOptions{})
		if err == nil && pod.Status.Phase != corev1.PodRunning {
			err = fmt.Errorf("the pod is %s", pod.Status.Phase)
		}
		return err
	})
	other, local := *e, *e.local
	local.DefaultRequests = true
	other.local = &local
	return &other
}

// roomForWorkflow checks that a workflow of 500m and 1Gi fits in addition to the runtime, and that the pods of Kubernetes on an ordinary node
// request no more than docs/scale.md lists for them.
func (e *environment) roomForWorkflow(t *testing.T) {
	require.NotEqual(t, hello, big)
	e.applyHere(t, strings.NewReplacer("NAMESPACE", install.Namespace, "NAME", "e2e-big", "ACCOUNT", "argo-workflow", "IMAGE", standIn).Replace(big))
	eventually(t, "the workflow has succeeded", 2*time.Minute, e.has("workflows", install.Namespace, "e2e-big", map[string]string{"status.phase": "Succeeded"}))

	pods, err := e.client.CoreV1().Pods("kube-system").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, pods.Items)
	var cpu, memory resource.Quantity
	for _, pod := range pods.Items {
		if _, static := pod.Annotations[corev1.MirrorPodAnnotationKey]; static {
			continue // the control plane
		}
		for _, container := range pod.Spec.Containers {
			cpu.Add(*container.Resources.Requests.Cpu())
			memory.Add(*container.Resources.Requests.Memory())
		}
	}
	page, err := os.ReadFile(filepath.Join(e.local.Root, "docs", "scale.md"))
	require.NoError(t, err)
	listed := regexp.MustCompile(`(?m)^\| pods of Kubernetes: .* \| (\S+) \| (\S+) \|$`).FindSubmatch(page)
	require.Len(t, listed, 3)
	t.Logf("the pods of Kubernetes request %s CPU and %s of memory", cpu.String(), memory.String())
	assert.LessOrEqual(t, cpu.Cmp(resource.MustParse(string(listed[1]))), 0, "CPU: %s", cpu.String())
	assert.LessOrEqual(t, memory.Cmp(resource.MustParse(string(listed[2]))), 0, "memory: %s", memory.String())
}
