//go:build e2e

package e2e_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// nothingForbidden checks that no program in a namespace has tried something that its roles do not allow, according to the logs of its pods.
func (e *environment) nothingForbidden(t *testing.T, namespace string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	pods, err := e.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, pods.Items)
	for _, pod := range pods.Items {
		for container, log := range e.logs(ctx, &pod) {
			assert.Empty(t, forbidden(log), "the log of %s, %s", pod.Name, container)
		}
	}
}

// forbidden returns the lines that report a rejection by the API server; rejections because a namespace is being deleted are not related to
// permissions.
func forbidden(log string) []string {
	var lines []string
	for line := range strings.Lines(log) {
		if strings.Contains(strings.ToLower(line), "forbidden") && !strings.Contains(line, "because it is being terminated") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}
