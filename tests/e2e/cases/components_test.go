//go:build e2e

package e2e_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/e2e/install"
)

// components checks that the runtime is registered, and each component that codefresh-cm lists has a workload with its name as the
// part-of label, by which the platform finds the logs of a component.
func (e *environment) components(t *testing.T) {
	require.Equal(t, []string{install.Name, "taken"}, e.platform(t).runtimes(t))
	listed, err := e.client.CoreV1().ConfigMaps(install.Namespace).Get(t.Context(), "codefresh-cm", metav1.GetOptions{})
	require.NoError(t, err)
	var all []struct{ Name, Version string }
	require.NoError(t, yaml.Unmarshal([]byte(listed.Data["components"]), &all))
	deployments, err := e.client.AppsV1().Deployments(install.Namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	var parts []string
	for _, deployment := range deployments.Items {
		parts = append(parts, deployment.Labels["app.kubernetes.io/part-of"])
	}
	var names []string
	for _, component := range all {
		assert.NotEmpty(t, component.Version, component.Name)
		if component.Name != "workflow-reporter" { // it is listed as in the published chart, but has had no program since 0.30.0
			assert.True(t, slices.Contains(parts, component.Name), "no Deployment is part of %s: there are %v", component.Name, parts)
		}
		names = append(names, component.Name)
	}
	for _, name := range []string{"app-proxy", "internal-router", "argo-gateway", "runtime-event-reporter", "cluster-event-reporter", "gitops-operator"} {
		assert.Contains(t, names, name)
	}
}
