//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/install"
)

// losesLeader checks that when the leader pod of app-proxy dies, another becomes the leader within 20 seconds.
func (e *environment) losesLeader(t *testing.T) {
	first := ""
	eventually(t, "app-proxy has a leader", time.Minute, func(ctx context.Context) error {
		var err error
		first, err = e.leader(ctx)
		return err
	})
	require.Contains(t, e.pods(t, "app.kubernetes.io/name=app-proxy"), first)
	require.NoError(t, e.client.CoreV1().Pods(install.Namespace).Delete(t.Context(), first, *metav1.NewDeleteOptions(0)))
	begun := time.Now()
	second := ""
	eventually(t, "another pod is the leader", 20*time.Second, func(ctx context.Context) error {
		var err error
		if second, err = e.leader(ctx); err == nil && second == first {
			err = fmt.Errorf("the leader is still %s", first)
		}
		return err
	})
	t.Logf("another pod is the leader after %s", time.Since(begun).Round(time.Millisecond))
	pod, err := e.client.CoreV1().Pods(install.Namespace).Get(t.Context(), second, metav1.GetOptions{}) // ready, or the starting replacement of the lost pod
	require.NoError(t, err)
	assert.Equal(t, "app-proxy", pod.Labels["app.kubernetes.io/name"])
}

// leader returns the pod that holds app-proxy's Lease.
func (e *environment) leader(ctx context.Context) (string, error) {
	lease, err := e.client.CoordinationV1().Leases(install.Namespace).Get(ctx, "cap-app-proxy", metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	if lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity == "" {
		return "", fmt.Errorf("the Lease has no holder")
	}
	return *lease.Spec.HolderIdentity, nil
}
