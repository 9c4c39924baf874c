package compat

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/manifests"
	"gitops-runtime/tests/render"
)

// everythingOn renders a chart with everything enabled.
func everythingOn(t *testing.T, name string, more map[string]any) []render.Object {
	t.Helper()
	root, err := gomodule.Root()
	require.NoError(t, err)
	chart, fixture := prepared(t, root, name)
	templates, err := chart.Render(overlay(fixture.Base, more))
	require.NoError(t, err)
	var objects []render.Object
	for _, text := range templates {
		parsed, err := render.Parse(text)
		require.NoError(t, err)
		objects = append(objects, parsed...)
	}
	return objects
}

// preset returns the restricted preset of the umbrella chart, or the part of it for another chart.
func preset(t *testing.T, name string) map[string]any {
	t.Helper()
	root, err := gomodule.Root()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, "charts", "gitops-runtime", "values-restricted.yaml"))
	require.NoError(t, err)
	var values map[string]any
	require.NoError(t, yaml.Unmarshal(text, &values))
	if name == "gitops-runtime" {
		return values
	}
	part, _ := values[name].(map[string]any)
	return part
}

// everyWay renders a chart with the restricted preset and everything enabled, and again for each mutually exclusive setting.
func everyWay(t *testing.T, name string) [][]render.Object {
	t.Helper()
	stricter := preset(t, name)
	renders := [][]render.Object{everythingOn(t, name, stricter)}
	if name == "argo-cd" {
		for _, more := range []map[string]any{
			{"redis-ha": map[string]any{"enabled": true, "exporter": map[string]any{"enabled": true}}},
			{"controller": map[string]any{"dynamicClusterDistribution": true}},
		} {
			renders = append(renders, everythingOn(t, name, overlay(stricter, more)))
		}
	}
	return renders
}

// isClosed reports whether an image is one of the runtime's closed-source programs. The published chart leaves their root file systems writable, and
// the paths that they write to are unknown.
func isClosed(image string) bool {
	return regexp.MustCompile(`/codefresh/(cap-app-proxy|cap-app-proxy-init|leader-elector|cf-argocd-extras|codefresh-gitops-operator):`).MatchString(image)
}

func TestEveryPodPassesTheLevelRestricted(t *testing.T) {
	t.Parallel()
	eachChart(t, func(t *testing.T, _ *Prover, name string) {
		pods := 0
		for _, object := range slices.Concat(everyWay(t, name)...) {
			fields, found, err := unstructured.NestedMap(object.Object, "spec", "template")
			require.NoError(t, err)
			if !found || !slices.Contains([]string{"Deployment", "StatefulSet", "Job"}, object.GetKind()) {
				continue
			}
			pods++
			var pod corev1.PodTemplateSpec
			require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(fields, &pod, true), object.GetName())
			assert.Empty(t, render.Forbidden(pod.ObjectMeta, pod.Spec), "%s %s", object.GetKind(), object.GetName())
			for _, container := range append(pod.Spec.InitContainers, pod.Spec.Containers...) {
				if isClosed(container.Image) {
					continue
				}
				context := container.SecurityContext
				assert.True(t, context != nil && context.ReadOnlyRootFilesystem != nil && *context.ReadOnlyRootFilesystem,
					"%s %s, container %s: the root file system is writable", object.GetKind(), object.GetName(), container.Name)
			}
		}
		assert.Positive(t, pods)
	})
}

// No object has unknown or missing fields, or fields of the wrong type.
func TestEveryObjectIsWellFormed(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	validator, err := manifests.NewValidator(t.Context(), root)
	require.NoError(t, err)
	charts, err := Charts()
	require.NoError(t, err)
	// no Go module contains the definitions of these
	groups := []string{"autoscaling.k8s.io", "cert-manager.io", "cloud.google.com", "networking.gke.io", "route.openshift.io"}
	kinds := []string{"ListenerSet", "PrometheusRule"}
	for _, name := range charts {
		for _, objects := range everyWay(t, name) {
			var stream strings.Builder
			for _, object := range objects {
				if slices.Contains(groups, object.GroupVersionKind().Group) || slices.Contains(kinds, object.GetKind()) {
					continue
				}
				text, err := yaml.Marshal(object.Object)
				require.NoError(t, err)
				stream.WriteString("---\n" + string(text))
			}
			assert.Empty(t, validator.Validate(stream.String()), name)
		}
	}
}

// The workflow controller creates pods from its settings and the workflow.
func TestWorkflowPodsPassTheLevelRestricted(t *testing.T) {
	t.Parallel()
	objects := everythingOn(t, "argo-workflows", preset(t, "argo-workflows"))
	config := render.Find(objects, "ConfigMap", "cf-argo-workflows-workflow-controller-configmap")
	require.NotNil(t, config)
	var settings struct {
		Executor, MainContainer corev1.Container
		WorkflowDefaults        struct {
			Spec struct{ SecurityContext *corev1.PodSecurityContext }
		}
	}
	text, _, err := unstructured.NestedString(config.Object, "data", "config")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal([]byte(text), &settings))
	spec := corev1.PodSpec{
		SecurityContext: settings.WorkflowDefaults.Spec.SecurityContext,
		InitContainers:  []corev1.Container{settings.Executor},
		Containers:      []corev1.Container{settings.Executor, settings.MainContainer},
	}
	assert.Empty(t, render.Forbidden(metav1.ObjectMeta{}, spec), "with the default pod security context")
	spec.SecurityContext = &corev1.PodSecurityContext{}
	assert.Empty(t, render.Forbidden(metav1.ObjectMeta{}, spec), "with the workflow's pod security context")
}

func TestNoRuleIsForEverything(t *testing.T) {
	t.Parallel()
	eachChart(t, func(t *testing.T, _ *Prover, name string) {
		// deploys any object from the user's repositories
		found, err := render.Wildcards(slices.Concat(everyWay(t, name)...), "codefresh-cf-argocd-application-controller", "codefresh-argo-cd-application-controller")
		require.NoError(t, err)
		assert.Empty(t, found)
	})
}

// global.runtime.singleNamespace makes all charts of the runtime namespaced.
func TestARuntimeOfOneNamespaceMakesItsChartsNamespaced(t *testing.T) {
	t.Parallel()
	runtime := map[string]any{"global": map[string]any{"runtime": map[string]any{"singleNamespace": true}}}
	for name, more := range map[string]map[string]any{
		"argo-rollouts":  {},
		"argo-workflows": {},
		"argo-events":    {"webhook": map[string]any{"enabled": false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, object := range everythingOn(t, name, overlay(runtime, more)) {
				assert.Equal(t, "codefresh", object.GetNamespace(), "%s %s", object.GetKind(), object.GetName())
			}
		})
	}
}

// With namespaced operation a chart renders no cluster-scoped objects, so that several runtimes can share a cluster.
func TestNamespacedOperationIsNamespaced(t *testing.T) {
	t.Parallel()
	for name, values := range map[string]map[string]any{
		"argo-cd":        {"createClusterRoles": false, "createAggregateRoles": false},
		"argo-rollouts":  {"clusterInstall": false},
		"argo-workflows": {"singleNamespace": true, "createAggregateRoles": false},
		"argo-events":    {"controller": map[string]any{"rbac": map[string]any{"namespaced": true}}, "webhook": map[string]any{"enabled": false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, object := range everythingOn(t, name, values) {
				assert.NotContains(t, object.GetKind(), "Cluster", object.GetName())
				assert.Equal(t, "codefresh", object.GetNamespace(), "%s %s", object.GetKind(), object.GetName())
			}
		})
	}
}
