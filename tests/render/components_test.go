package render_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"gitops-runtime/tests/render"
)

// component is a part of a chart that has a workload.
type component struct {
	chart, path, kind, name string
	on                      map[string]string
}

func components() []component {
	haRedis := map[string]string{"redis-ha.enabled": "true"}
	return []component{
		{"argo-cd", "controller", "StatefulSet", "cf-argocd-application-controller", nil},
		{"argo-cd", "server", "Deployment", "cf-argocd-server", nil},
		{"argo-cd", "repoServer", "Deployment", "cf-argocd-repo-server", nil},
		{"argo-cd", "applicationSet", "Deployment", "cf-argocd-applicationset-controller", nil},
		{"argo-cd", "notifications", "Deployment", "cf-argocd-notifications-controller", nil},
		{"argo-cd", "dex", "Deployment", "cf-argocd-dex-server", map[string]string{"dex.enabled": "true"}},
		{"argo-cd", "commitServer", "Deployment", "cf-argocd-commit-server", map[string]string{"commitServer.enabled": "true"}},
		{"argo-cd", "redis", "Deployment", "cf-argocd-redis", nil},
		{"argo-cd", "redis-ha", "StatefulSet", "cf-argocd-redis-ha-server", haRedis},
		{"argo-cd", "redis-ha.haproxy", "Deployment", "cf-argocd-redis-ha-haproxy", haRedis},
		{"argo-rollouts", "controller", "Deployment", "cf-argo-rollouts", nil},
		{"argo-rollouts", "dashboard", "Deployment", "cf-argo-rollouts-dashboard", map[string]string{"dashboard.enabled": "true"}},
		{"argo-workflows", "controller", "Deployment", "cf-argo-workflows-workflow-controller", nil},
		{"argo-workflows", "server", "Deployment", "cf-argo-workflows-server", nil},
		{"argo-events", "controller", "Deployment", "cf-argo-events-controller-manager", nil},
		{"argo-events", "webhook", "Deployment", "cf-argo-events-events-webhook", map[string]string{"webhook.enabled": "true"}},
	}
}

// All components have the same settings for pods, under the same names.
func TestComponentsHaveTheSameSettings(t *testing.T) {
	t.Parallel()
	for _, c := range components() {
		t.Run(c.chart+" "+c.path, func(t *testing.T) {
			t.Parallel()
			settings := map[string]string{}
			for name, value := range map[string]string{
				"pdb":                           `{"enabled": true, "minAvailable": 1}`,
				"autoscaling":                   `{"enabled": true}`,
				"podLabels":                     `{"sample": "label"}`,
				"podAnnotations":                `{"sample": "annotation"}`,
				"priorityClassName":             `"sample"`,
				"runtimeClassName":              `"sample"`,
				"nodeSelector":                  `{"sample": "node"}`,
				"tolerations":                   `[{"key": "sample", "operator": "Exists"}]`,
				"affinity":                      `{"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}}`,
				"hostAliases":                   `[{"ip": "192.0.2.1", "hostnames": ["sample"]}]`,
				"dnsConfig":                     `{"nameservers": ["192.0.2.2"]}`,
				"dnsPolicy":                     `"None"`,
				"terminationGracePeriodSeconds": `77`,
				"lifecycle":                     `{"preStop": {"sleep": {"seconds": 7}}}`,
				"extraArgs":                     `["--sample"]`,
				"extraEnv":                      `[{"name": "SAMPLE", "value": "yes"}]`,
				"extraEnvFrom":                  `[{"secretRef": {"name": "sample"}}]`,
				"extraContainers":               `[{"name": "sample", "image": "sample:1"}]`,
				"extraInitContainers":           `[{"name": "sample", "image": "sample:1"}]`,
				"extraVolumes":                  `[{"name": "sample", "emptyDir": {}}]`,
				"extraVolumeMounts":             `[{"name": "sample", "mountPath": "/sample"}]`,
				"resources":                     `{"limits": {"memory": "77Mi"}}`,
			} {
				settings[c.path+"."+name] = value
			}
			spread := "topologySpreadConstraints"
			if c.path == "redis-ha" {
				settings[c.path+"."+spread] = `{"enabled": true, "topologyKey": "sample"}` // the form of the published chart
			} else {
				settings[c.path+"."+spread] = `[{"maxSkew": 1, "topologyKey": "sample", "whenUnsatisfiable": "ScheduleAnyway"}]`
			}
			objects := render.Release{Chart: c.chart, Set: c.on, SetJSON: settings}.Objects(t)
			for _, kind := range []string{"PodDisruptionBudget", "HorizontalPodAutoscaler"} {
				assert.NotNil(t, render.Find(objects, kind, c.name), kind)
			}
			assertSettings(t, podOf(t, objects, c))
		})
	}
}

func podOf(t *testing.T, objects []render.Object, c component) corev1.PodTemplateSpec {
	t.Helper()
	object := render.Find(objects, c.kind, c.name)
	if c.kind == "StatefulSet" {
		set, err := render.As[appsv1.StatefulSet](object)
		require.NoError(t, err)
		assert.Nil(t, set.Spec.Replicas)
		return set.Spec.Template
	}
	deployment, err := render.As[appsv1.Deployment](object)
	require.NoError(t, err)
	assert.Nil(t, deployment.Spec.Replicas, "replicas belong to the autoscaler")
	return deployment.Spec.Template
}

func assertSettings(t *testing.T, pod corev1.PodTemplateSpec) {
	t.Helper()
	assert.Equal(t, "label", pod.Labels["sample"])
	assert.Equal(t, "annotation", pod.Annotations["sample"])
	spec := pod.Spec
	assert.Equal(t, "sample", spec.PriorityClassName)
	assert.Equal(t, "sample", *spec.RuntimeClassName)
	assert.Equal(t, "node", spec.NodeSelector["sample"])
	assert.Contains(t, spec.Tolerations, corev1.Toleration{Key: "sample", Operator: corev1.TolerationOpExists})
	assert.NotNil(t, spec.Affinity.NodeAffinity)
	assert.Equal(t, []corev1.HostAlias{{IP: "192.0.2.1", Hostnames: []string{"sample"}}}, spec.HostAliases)
	assert.Equal(t, []string{"192.0.2.2"}, spec.DNSConfig.Nameservers)
	assert.Equal(t, corev1.DNSNone, spec.DNSPolicy)
	assert.Equal(t, int64(77), *spec.TerminationGracePeriodSeconds)
	if assert.Len(t, spec.TopologySpreadConstraints, 1) {
		assert.Equal(t, "sample", spec.TopologySpreadConstraints[0].TopologyKey)
		assert.NotNil(t, spec.TopologySpreadConstraints[0].LabelSelector)
	}
	container := spec.Containers[0]
	assert.Equal(t, int64(7), container.Lifecycle.PreStop.Sleep.Seconds)
	assert.Contains(t, container.Args, "--sample")
	assert.Contains(t, container.Env, corev1.EnvVar{Name: "SAMPLE", Value: "yes"})
	assert.Len(t, container.EnvFrom, 1)
	assert.Contains(t, container.VolumeMounts, corev1.VolumeMount{Name: "sample", MountPath: "/sample"})
	assert.Equal(t, "77Mi", container.Resources.Limits.Memory().String())
	assert.Equal(t, "sample", spec.Containers[len(spec.Containers)-1].Name)
	assert.Equal(t, "sample", spec.InitContainers[len(spec.InitContainers)-1].Name)
	assert.Equal(t, "sample", spec.Volumes[len(spec.Volumes)-1].Name)
}
