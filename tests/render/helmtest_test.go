package render_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"gitops-runtime/tests/render"
	"gitops-runtime/validator/cluster"
)

// testPods returns the pods of helm test, in the order in which Helm runs them.
func testPods(t *testing.T, objects []render.Object) []corev1.Pod {
	t.Helper()
	var pods []corev1.Pod
	for i := range objects {
		if objects[i].GetAnnotations()["helm.sh/hook"] != "test" {
			continue
		}
		pod, err := render.As[corev1.Pod](&objects[i])
		require.NoError(t, err)
		require.Equal(t, "Pod", pod.Kind, "helm test --logs reads a pod with the name of each hook")
		pods = append(pods, pod)
	}
	slices.SortFunc(pods, func(a, b corev1.Pod) int {
		return strings.Compare(a.Annotations["helm.sh/hook-weight"], b.Annotations["helm.sh/hook-weight"])
	})
	return pods
}

// A disabled component has no test; values skip single tests or disable all.
func TestWhichTests(t *testing.T) {
	t.Parallel()
	every := []string{"components", "app-proxy", "router", "access", "argo-cd", "argo-workflows", "argo-rollouts", "argo-events"}
	for name, test := range map[string]struct {
		release render.Release
		want    []string
	}{
		"tunnel":           {render.Release{Files: []string{"tunnel"}}, every},
		"external Argo CD": {render.Release{Files: []string{"own-argo-cd"}}, every},
		"single namespace": {render.Release{Files: []string{"single-namespace"}}, every},
		"everything off":   {render.Release{Files: []string{"everything-off"}}, []string{"components", "app-proxy", "router", "access", "argo-cd"}},
		"some skipped": {
			render.Release{Files: []string{"tunnel"}, SetJSON: map[string]string{"tests.skip": `["access","argo-events"]`}},
			[]string{"components", "app-proxy", "router", "argo-cd", "argo-workflows", "argo-rollouts"},
		},
		"disabled": {render.Release{Files: []string{"tunnel"}, Set: map[string]string{"tests.enabled": "false"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.release.Chart = "gitops-runtime"
			objects := test.release.Objects(t)
			var names, removed []string
			for _, pod := range testPods(t, objects) {
				assert.Equal(t, pod.Name, pod.Spec.ServiceAccountName)
				assert.Equal(t, []string{"test", strings.TrimPrefix(pod.Name, "test-")}, pod.Spec.Containers[0].Args[:2])
				names = append(names, strings.TrimPrefix(pod.Name, "test-"))
			}
			assert.Equal(t, test.want, names)
			text, err := test.release.Text(t)
			require.NoError(t, err)
			for line := range strings.Lines(text) {
				if _, pod, is := strings.Cut(strings.TrimSpace(line), "--delete=pods.v1/test-"); is {
					removed = append(removed, pod)
				}
			}
			assert.Equal(t, test.want, removed, "an uninstall deletes the pods of tests")
			if test.want == nil {
				assert.NotContains(t, text, "name: test-")
			}
		})
	}
}

// The test of components checks every workload with replicas, and may read no other objects.
func TestComponentsAreAllWorkloads(t *testing.T) {
	t.Parallel()
	for name, release := range map[string]render.Release{
		"tunnel": {Files: []string{"tunnel"}}, "ingress": {Files: []string{"ingress"}}, "external Argo CD": {Files: []string{"own-argo-cd"}},
		"single namespace": {Files: []string{"single-namespace"}}, "everything on": {Files: []string{"everything-on"}},
		"everything off": {Files: []string{"everything-off"}},
		"other names": {Files: []string{"tunnel"}, Set: map[string]string{
			"argo-cd.fullnameOverride": "cd", "argo-cd.server.name": "web", "argo-rollouts.fullnameOverride": "", "app-proxy.fullnameOverride": "proxy",
			"argo-workflows.controller.name": "runner", "argo-cd.controller.dynamicClusterDistribution": "true",
		}},
		"without pods": {Files: []string{"tunnel"}, Set: map[string]string{"argo-cd.applicationSet.replicas": "0"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			release.Chart = "gitops-runtime"
			objects := release.Objects(t)
			var want, requested, allowed []string
			for _, object := range objects {
				spec, _ := object.Object["spec"].(map[string]any)
				if replicas, given := spec["replicas"]; given && fmt.Sprint(replicas) == "0" {
					continue
				}
				if kind := object.GetKind(); kind == "Deployment" || kind == "StatefulSet" {
					want = append(want, strings.ToLower(kind)+"s.apps/"+object.GetName())
				}
			}
			for _, argument := range testPods(t, objects)[0].Spec.Containers[0].Args {
				if text, is := strings.CutPrefix(argument, "--workload="); is {
					one, err := cluster.ParseObject(text)
					require.NoError(t, err)
					requested = append(requested, one.String())
				}
			}
			role, err := render.As[rbacv1.Role](render.Find(objects, "Role", "test-components"))
			require.NoError(t, err)
			for _, rule := range role.Rules {
				assert.Equal(t, []string{"get"}, rule.Verbs)
				for _, name := range rule.ResourceNames {
					allowed = append(allowed, rule.Resources[0]+".apps/"+name)
				}
			}
			slices.Sort(want)
			slices.Sort(requested)
			slices.Sort(allowed)
			assert.Equal(t, want, requested)
			assert.Equal(t, want, allowed)
		})
	}
}

// Tests may create objects of Argo's kinds, and read, change and delete only the object with the test's name.
func TestRightsOfTests(t *testing.T) {
	t.Parallel()
	objects := render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}}.Objects(t)
	found := map[string]map[string][]string{}
	for i := range objects {
		name := objects[i].GetName()
		if !strings.HasPrefix(name, "test-") || name == "test-components" || objects[i].GetKind() != "Role" {
			assert.False(t, strings.HasPrefix(name, "codefresh-test-"), "%s: tests have no permissions outside the namespace", name)
			continue
		}
		found[name] = rights(t, objects[i:i+1])
	}
	all := []string{"get", "patch", "delete"}
	assert.Equal(t, map[string]map[string][]string{
		"test-argo-cd": {
			"applications.argoproj.io/": {"create"}, "appprojects.argoproj.io/": {"create"},
			"applications.argoproj.io/test-argo-cd": all, "appprojects.argoproj.io/test-argo-cd": all, "configmaps/test-argo-cd": {"get"},
		},
		"test-argo-workflows": {
			"workflows.argoproj.io/": {"create"}, "workflows.argoproj.io/test-argo-workflows-step": {"get", "delete"},
			"workflowtaskresults.argoproj.io/": {"create", "patch"},
		},
		"test-argo-rollouts": {"rollouts.argoproj.io/": {"create"}, "rollouts.argoproj.io/test-argo-rollouts": all},
		"test-argo-events": {
			"eventbus.argoproj.io/": {"create"}, "eventsources.argoproj.io/": {"create"}, "sensors.argoproj.io/": {"create"},
			"eventbus.argoproj.io/test-argo-events": {"get", "delete"}, "eventsources.argoproj.io/test-argo-events": {"get", "delete"},
			"sensors.argoproj.io/test-argo-events": {"get", "delete"},
		},
	}, found)
}

// Test pods, and the pods that tests create, use the installer image and have the settings of every pod.
func TestPodsOfTestsHaveEverySetting(t *testing.T) {
	t.Parallel()
	objects := render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}, SetJSON: map[string]string{
		"installer.image.registry": `"registry.example.com/mirror"`, "global.nodeSelector": `{"pool":"ops"}`, "global.imagePullSecrets": `["pull"]`,
		"global.tolerations":     `[{"key":"ops","operator":"Exists"}]`,
		"installer.podLabels":    `{"team":"platform"}`,
		"installer.image.digest": `"sha256:1111111111111111111111111111111111111111111111111111111111111111"`, "installer.priorityClassName": `"high"`,
		"global.codefresh.tls.caCerts.secretKeyRef": `{"name":"corporate-ca","key":"ca.pem"}`, "tests.timeoutSeconds": "30",
	}}.Objects(t)
	for _, pod := range testPods(t, objects) {
		t.Run(pod.Name, func(t *testing.T) {
			container := pod.Spec.Containers[0]
			const image = "registry.example.com/mirror/gitops-runtime-installer@sha256:1111111111111111111111111111111111111111111111111111111111111111"
			assert.Equal(t, image, container.Image)
			assert.Equal(t, map[string]string{"pool": "ops"}, pod.Spec.NodeSelector)
			assert.Equal(t, []corev1.LocalObjectReference{{Name: "pull"}}, pod.Spec.ImagePullSecrets)
			assert.Equal(t, []corev1.Toleration{{Key: "ops", Operator: corev1.TolerationOpExists}}, pod.Spec.Tolerations)
			assert.Equal(t, "high", pod.Spec.PriorityClassName)
			assert.Equal(t, "platform", pod.Labels["team"])
			assert.Equal(t, int64(90), *pod.Spec.ActiveDeadlineSeconds)
			assert.Equal(t, corev1.RestartPolicyNever, pod.Spec.RestartPolicy)
			assert.Contains(t, container.Args, "--timeout=30s")
			assert.Contains(t, container.Args, "--ca-file=/platform-ca/ca-bundle.crt")
			assert.Equal(t, "corporate-ca", pod.Spec.Volumes[0].Secret.SecretName)
			creates := slices.Contains([]string{"test-argo-workflows", "test-argo-rollouts", "test-argo-events"}, pod.Name)
			at := slices.IndexFunc(container.Env, func(env corev1.EnvVar) bool { return env.Name == "TEST_POD" })
			require.Equal(t, creates, at >= 0)
			if !creates {
				return
			}
			var others struct {
				Metadata  struct{ Labels map[string]string }
				Spec      corev1.PodSpec
				Container corev1.Container
			}
			require.NoError(t, json.Unmarshal([]byte(container.Env[at].Value), &others))
			assert.Equal(t, map[string]string{"team": "platform"}, others.Metadata.Labels)
			assert.Equal(t, corev1.PodSpec{
				NodeSelector: pod.Spec.NodeSelector, Tolerations: pod.Spec.Tolerations, ImagePullSecrets: pod.Spec.ImagePullSecrets,
				PriorityClassName: "high", SecurityContext: pod.Spec.SecurityContext,
			}, others.Spec)
			assert.Equal(t, corev1.Container{
				Image: image, ImagePullPolicy: container.ImagePullPolicy, Resources: container.Resources, SecurityContext: container.SecurityContext,
			}, others.Container)
		})
	}
}
