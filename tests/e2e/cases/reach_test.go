//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/install"
	"gitops-runtime/tests/security"
)

// openToAll adds a policy that allows every connection to every pod of the runtime's namespace. Policies add up, so it has the effect of none.
const openToAll = `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: e2e-open, namespace: ` + install.Namespace + `}, spec: {podSelector: {}, policyTypes: [Ingress], ingress: [{}]}}`

// guarded is a port that no stranger reaches by default; it shows whether policies are in effect.
const guarded = "argo-cd-redis 6379"

// reachOfStrangers checks the table of the security page about pods that are not the runtime's: by connections from such pods to every port of every
// pod of the release, by default and without the effect of policies.
func (e *environment) reachOfStrangers(t *testing.T) {
	strangers, err := security.Strangers(t.Context(), e.local.Root)
	require.NoError(t, err)
	image := e.imageWithShell(t)
	for i, one := range strangers {
		if one.Namespace != install.Namespace {
			e.namespace(t, one.Namespace)
		}
		e.strangersPod(t, one, strangerName(i), image)
	}
	ports := e.portsOfRelease(t)
	reached := func(ctx context.Context) (all [][]string, err error) {
		for i, one := range strangers {
			found, err := e.reached(ctx, one.Namespace, strangerName(i), ports)
			if err != nil {
				return nil, err
			}
			all = append(all, found)
		}
		return all, nil
	}

	var listening []string
	require.True(t, e.run(t, "without policies", func(t *testing.T) {
		e.applyHere(t, openToAll)
		eventually(t, "every stranger reaches every port that listens", time.Minute, func(ctx context.Context) error {
			all, err := reached(ctx)
			if err != nil {
				return err
			}
			listening = all[0]
			for i, found := range all {
				if !slices.Contains(found, guarded) || !slices.Equal(found, listening) {
					return fmt.Errorf("%s reaches %v, the first one %v", strangers[i].Name, found, listening)
				}
			}
			return nil
		})
		require.Greater(t, len(listening), 20, "%v", listening)
	}))
	var want [][]string
	for _, one := range strangers {
		// only what listens in this cluster: stand-ins replace some programs, and values turn others off
		some := slices.DeleteFunc(slices.Clone(one.Default), func(port string) bool { return !slices.Contains(listening, port) })
		require.NotEmpty(t, some, one.Name)
		t.Logf("%s reaches %d ports of %d that listen", one.Name, len(some), len(listening))
		want = append(want, some)
	}
	eventually(t, "strangers reach what the security page says", time.Minute, func(ctx context.Context) error {
		all, err := reached(ctx)
		for i := range all {
			if !slices.Equal(all[i], want[i]) {
				return fmt.Errorf("%s reaches %v instead of %v", strangers[i].Name, all[i], want[i])
			}
		}
		return err
	})
}

func strangerName(number int) string { return fmt.Sprintf("e2e-stranger-%d", number) }

// imageWithShell returns the image of Redis, which has a shell.
func (e *environment) imageWithShell(t *testing.T) string {
	t.Helper()
	pods, err := e.client.CoreV1().Pods(install.Namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/name=argocd-redis"})
	require.NoError(t, err)
	require.NotEmpty(t, pods.Items)
	return pods.Items[0].Spec.Containers[0].Image
}

// strangersPod starts a pod with the labels of a stranger, and deletes it after the test.
func (e *environment) strangersPod(t *testing.T, one security.Stranger, name, image string) {
	t.Helper()
	pod := documents(t, strings.NewReplacer("IMAGE", image, "e2e-unrelated", one.Namespace).Replace(unrelated))[0]
	pod.SetName(name)
	pod.SetLabels(one.Labels)
	text, err := pod.MarshalJSON()
	require.NoError(t, err)
	e.applyHere(t, string(text))
	eventually(t, name+" runs", time.Minute, func(ctx context.Context) error {
		found, err := e.client.CoreV1().Pods(one.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err == nil && found.Status.Phase != corev1.PodRunning {
			err = fmt.Errorf("it is %s", found.Status.Phase)
		}
		return err
	})
}

// portsOfRelease returns "workload port" of the release's Deployments and StatefulSets by address:port of one running pod each.
func (e *environment) portsOfRelease(t *testing.T) map[string]string {
	t.Helper()
	selectors := map[string]*metav1.LabelSelector{}
	ofHelm := metav1.ListOptions{LabelSelector: "app.kubernetes.io/managed-by=Helm"}
	deployments, err := e.client.AppsV1().Deployments(install.Namespace).List(t.Context(), ofHelm)
	require.NoError(t, err)
	for _, one := range deployments.Items {
		selectors[one.Name] = one.Spec.Selector
	}
	sets, err := e.client.AppsV1().StatefulSets(install.Namespace).List(t.Context(), ofHelm)
	require.NoError(t, err)
	for _, one := range sets.Items {
		selectors[one.Name] = one.Spec.Selector
	}
	found := map[string]string{}
	for workload, selector := range selectors {
		pods, err := e.client.CoreV1().Pods(install.Namespace).List(t.Context(), metav1.ListOptions{LabelSelector: metav1.FormatLabelSelector(selector)})
		require.NoError(t, err)
		at := slices.IndexFunc(pods.Items, func(pod corev1.Pod) bool { return pod.Status.PodIP != "" && pod.DeletionTimestamp == nil })
		if at < 0 {
			continue // scaled to 0
		}
		for _, container := range pods.Items[at].Spec.Containers {
			for _, port := range container.Ports {
				found[fmt.Sprintf("%s:%d", pods.Items[at].Status.PodIP, port.ContainerPort)] = fmt.Sprintf("%s %d", workload, port.ContainerPort)
			}
		}
	}
	return found
}

// reached returns the ports that accept a connection from a pod, sorted, by the names that portsOfRelease gives them.
func (e *environment) reached(ctx context.Context, namespace, pod string, ports map[string]string) ([]string, error) {
	arguments := []string{"--kubeconfig", e.local.Kubectl.Kubeconfig, "exec", "--namespace", namespace, pod, "--", "bash", "-c", dial, "dial"}
	for address := range ports {
		arguments = append(arguments, address)
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, e.local.Kubectl.Path, arguments...).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("connect from %s: %w: %s", pod, err, out)
	}
	var names []string
	for _, address := range strings.Fields(string(out)) {
		names = append(names, ports[address])
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
