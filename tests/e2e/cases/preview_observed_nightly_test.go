//go:build e2e && nightly

package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/install"
	truth "gitops-runtime/tests/preview"
)

// snapshot returns the objects that Helm owns for the release, as the API server lists them, by Kind/name; workloads with their running pods.
func (p *previewed) snapshot(t *testing.T) map[string]truth.Snapshot {
	t.Helper()
	found := map[string]truth.Snapshot{}
	for _, namespace := range []string{"", install.Namespace} {
		require.NoError(t, p.each(t.Context(), namespace, func(resource metav1.APIResource, item metav1.PartialObjectMetadata) {
			of := item.Annotations // a ReplicaSet has those of its Deployment
			if of["meta.helm.sh/release-name"] == install.Release && of["meta.helm.sh/release-namespace"] == install.Namespace && item.DeletionTimestamp == nil && len(item.OwnerReferences) == 0 {
				found[resource.Kind+"/"+item.Name] = truth.Snapshot{UID: string(item.UID)}
			}
		}))
	}
	for workload, pods := range p.running(t) {
		if one, owned := found[workload]; owned {
			one.Pods = pods
			found[workload] = one
		}
	}
	return found
}

// running returns the UIDs of running pods by the workload that they belong to, Kind/name.
func (p *previewed) running(t *testing.T) map[string][]string {
	t.Helper()
	list, err := p.client.CoreV1().Pods(install.Namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	found := map[string][]string{}
	for _, pod := range list.Items {
		owner := metav1.GetControllerOf(&pod)
		if owner == nil || pod.DeletionTimestamp != nil || pod.Status.Phase != corev1.PodRunning && pod.Status.Phase != corev1.PodPending {
			continue
		}
		name := owner.Kind + "/" + owner.Name
		if owner.Kind == "ReplicaSet" {
			name = "Deployment/" + owner.Name[:strings.LastIndex(owner.Name, "-")]
		}
		found[name] = append(found[name], string(pod.UID))
	}
	return found
}

// settled returns an error while a rollout of the namespace is not complete.
func (p *previewed) settled(ctx context.Context) error {
	all, here := metav1.ListOptions{}, p.client.AppsV1()
	deployments, err := here.Deployments(install.Namespace).List(ctx, all)
	if err != nil {
		return err
	}
	for _, one := range deployments.Items {
		if s := one.Status; s.ObservedGeneration < one.Generation || s.UpdatedReplicas != *one.Spec.Replicas || s.Replicas != s.UpdatedReplicas || s.AvailableReplicas != s.Replicas {
			return fmt.Errorf("%s: %+v", one.Name, s)
		}
	}
	sets, err := here.StatefulSets(install.Namespace).List(ctx, all)
	if err != nil {
		return err
	}
	for _, one := range sets.Items {
		s, strategy := one.Status, one.Spec.UpdateStrategy
		waits := strategy.Type == appsv1.OnDeleteStatefulSetStrategyType || strategy.RollingUpdate != nil && strategy.RollingUpdate.Partition != nil && *strategy.RollingUpdate.Partition > 0
		if s.ObservedGeneration < one.Generation || s.ReadyReplicas != *one.Spec.Replicas || s.UpdateRevision != s.CurrentRevision && !waits {
			return fmt.Errorf("%s: %+v", one.Name, s)
		}
	}
	daemons, err := here.DaemonSets(install.Namespace).List(ctx, all)
	if err != nil {
		return err
	}
	for _, one := range daemons.Items {
		if s := one.Status; s.ObservedGeneration < one.Generation || s.UpdatedNumberScheduled != s.DesiredNumberScheduled || s.NumberReady != s.DesiredNumberScheduled {
			return fmt.Errorf("%s: %+v", one.Name, s)
		}
	}
	return nil
}
