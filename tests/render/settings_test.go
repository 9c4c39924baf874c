package render_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/render"
)

// TestArgoCDReadsTheSettingsOfItsManifests tests that the chart passes each program the same variables from ConfigMap keys as the manifests of the
// pinned Argo CD; a setting without a variable would be ignored silently.
func TestArgoCDReadsTheSettingsOfItsManifests(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	module, err := gomodule.Find(context.Background(), filepath.Join(root, "tests", "e2e", "programs", "argo-cd"), "github.com/argoproj/argo-cd/v3")
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(module.Dir, "manifests", "ha", "install-with-hydrator.yaml"))
	require.NoError(t, err)
	published, err := render.Parse(string(text))
	require.NoError(t, err)
	rendered := settings(t, render.Release{Chart: "argo-cd", Set: map[string]string{"commitServer.enabled": "true", "dex.enabled": "true"}}.Objects(t))
	wanted := settings(t, published)
	require.Len(t, wanted, 7, "programs of the manifests")
	for program, settings := range wanted {
		for setting := range settings {
			assert.Contains(t, rendered[program], setting, program)
		}
	}
}

// settings returns, for each program, its variables with their ConfigMap and key.
func settings(t *testing.T, objects []render.Object) map[string]map[string]bool {
	t.Helper()
	programs := []string{"application-controller", "applicationset-controller", "notifications-controller", "repo-server", "commit-server", "dex-server", "server"}
	found := map[string]map[string]bool{}
	for _, object := range objects {
		var pod corev1.PodSpec
		switch object.GetKind() {
		case "Deployment":
			typed, err := render.As[appsv1.Deployment](&object)
			require.NoError(t, err)
			pod = typed.Spec.Template.Spec
		case "StatefulSet":
			typed, err := render.As[appsv1.StatefulSet](&object)
			require.NoError(t, err)
			pod = typed.Spec.Template.Spec
		default:
			continue
		}
		for _, program := range programs {
			if !strings.HasSuffix(object.GetName(), "-"+program) {
				continue
			}
			found[program] = map[string]bool{}
			for _, variable := range pod.Containers[0].Env {
				if source := variable.ValueFrom; source != nil && source.ConfigMapKeyRef != nil {
					found[program][variable.Name+" from "+source.ConfigMapKeyRef.Name+"/"+source.ConfigMapKeyRef.Key] = true
				}
			}
			break
		}
	}
	return found
}
