package render_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/render"
)

// podSettings are values that every component of the runtime supports, with the field of the workload that each sets, and its content.
var podSettings = []struct {
	key, value string
	field      string // "" for any field of the pod
	want       any
}{
	{"affinity", `{"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 7, "preference": {}}]}}`, podPath + "affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution/0/weight", 7},
	{"automountServiceAccountToken", `true`, podPath + "automountServiceAccountToken", true},
	{"deploymentAnnotations", `{"team": "a"}`, "metadata/annotations/team", "a"},
	{"deploymentLabels", `{"team": "a"}`, "metadata/labels/team", "a"},
	{"deploymentStrategy", `{"type": "Recreate"}`, "spec/strategy/type", "Recreate"},
	{"dnsConfig", `{"nameservers": ["10.0.0.1"]}`, podPath + "dnsConfig/nameservers/0", "10.0.0.1"},
	{"dnsPolicy", `"Default"`, podPath + "dnsPolicy", "Default"},
	{"envFrom", `[{"secretRef": {"name": "env-from"}}]`, "", "env-from"},
	{"extraArgs", `["--extra-arg"]`, "", "--extra-arg"},
	{"extraContainers", `[{"name": "extra-container", "image": "a"}]`, "", "extra-container"},
	{"extraEnv", `[{"name": "EXTRA_ENV", "value": "extra-env"}]`, "", "extra-env"},
	{"extraEnvFrom", `[{"secretRef": {"name": "extra-env-from"}}]`, "", "extra-env-from"},
	{"extraInitContainers", `[{"name": "extra-init", "image": "a"}]`, "", "extra-init"},
	{"extraVolumeMounts", `[{"name": "extra-volume", "mountPath": "/extra"}]`, "", "/extra"},
	{"extraVolumes", `[{"name": "extra-volume", "configMap": {"name": "extra-config"}}]`, "", "extra-config"},
	{"hostAliases", `[{"ip": "10.0.0.2", "hostnames": ["a"]}]`, podPath + "hostAliases/0/ip", "10.0.0.2"},
	{"hostNetwork", `true`, podPath + "hostNetwork", true},
	{"initContainers", `[{"name": "init-container", "image": "a"}]`, "", "init-container"},
	{"lifecycle", `{"preStop": {"exec": {"command": ["pre-stop"]}}}`, "", "pre-stop"},
	{"nodeSelector", `{"pool": "b"}`, podPath + "nodeSelector/pool", "b"},
	{"podAnnotations", `{"team": "b"}`, "spec/template/metadata/annotations/team", "b"},
	{"podLabels", `{"team": "c"}`, "spec/template/metadata/labels/team", "c"},
	{"podSecurityContext", `{"fsGroup": 4711}`, podPath + "securityContext/fsGroup", 4711},
	{"priorityClassName", `"high"`, podPath + "priorityClassName", "high"},
	{"resources", `{"limits": {"cpu": 2, "example.com/gpu": "1"}}`, "", "1"},
	{"revisionHistoryLimit", `4`, "spec/revisionHistoryLimit", 4},
	{"runtimeClassName", `"gvisor"`, podPath + "runtimeClassName", "gvisor"},
	{"schedulerName", `"mine"`, podPath + "schedulerName", "mine"},
	{"containerSecurityContext", `{"runAsUser": 4712}`, "", 4712},
	{"terminationGracePeriodSeconds", `77`, podPath + "terminationGracePeriodSeconds", 77},
	{"tolerations", `[{"key": "tolerated"}]`, podPath + "tolerations/0/key", "tolerated"},
	{"topologySpreadConstraints", `[{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}]`, podPath + "topologySpreadConstraints/0/topologyKey", "zone"},
	{"volumes", `[{"name": "volume", "secret": {"secretName": "a-secret"}}]`, "", "a-secret"},
	{"volumeMounts", `[{"name": "volume", "mountPath": "/mounted"}]`, "", "/mounted"},
}

// ofRuntime are the workloads of the runtime's components, by the path of their values.
var ofRuntime = map[string][]string{
	"app-proxy":                              {"cap-app-proxy"},
	"internal-router":                        {"internal-router"},
	"gitops-operator":                        {"gitops-operator"},
	"argo-gateway":                           {"argo-gateway"},
	"sealed-secrets":                         {"sealed-secrets-controller"},
	"redis":                                  {"runtime-redis"},
	"global.event-reporters":                 {"runtime-event-reporter", "cluster-event-reporter"},
	"event-reporters.runtime-event-reporter": {"runtime-event-reporter"},
	"event-reporters.cluster-event-reporter": {"cluster-event-reporter"},
}

// services are the Services of the runtime's components, by the path of their values.
var services = map[string]string{
	"app-proxy": "cap-app-proxy", "internal-router": "internal-router", "argo-gateway": "argo-gateway", "redis": "runtime-redis", "global.event-reporters": "cluster-event-reporter",
}

// configured returns a release with all settings of the component at a path of values, and of no other.
func configured(values string) render.Release {
	set := map[string]string{}
	for _, setting := range podSettings {
		set[values+"."+setting.key] = setting.value
	}
	if services[values] != "" {
		for key, value := range serviceSettings {
			set[values+".service."+key] = value
		}
	}
	return render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}, Set: map[string]string{"redis.enabled": "true"}, SetJSON: set}
}

func TestEveryComponentOfTheRuntimeSupportsThePodSettings(t *testing.T) {
	t.Parallel()
	for values, workloads := range ofRuntime {
		t.Run(values, func(t *testing.T) {
			t.Parallel()
			objects := configured(values).Objects(t)
			for _, name := range workloads {
				workload := render.Find(objects, "Deployment", name)
				require.NotNil(t, workload, name)
				for _, setting := range podSettings {
					if setting.field != "" {
						assert.EqualValues(t, setting.want, lookUp(t, workload.Object, setting.field), "%s: %s", name, setting.key)
						continue
					}
					pod, _, err := unstructured.NestedMap(workload.Object, "spec", "template", "spec")
					require.NoError(t, err)
					assert.True(t, holds(pod, setting.want), "%s: no field of the pod contains %s", name, setting.key)
				}
			}
		})
	}
}

// podSettings has every property of the pod definition, except aliases and probes, which differ between components.
func TestPodSettingsAreThoseOfTheDefinition(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, "schema", "definitions", "pod.json"))
	require.NoError(t, err)
	var definition struct{ Properties map[string]any }
	require.NoError(t, json.Unmarshal(text, &definition))
	same := []string{"env", "securityContext", "strategy", "updateStrategy", "livenessProbe", "readinessProbe", "startupProbe", "emptyDir"}
	for key := range definition.Properties {
		tested := slices.ContainsFunc(podSettings, func(setting struct {
			key, value string
			field      string
			want       any
		}) bool {
			return setting.key == key
		})
		assert.True(t, tested || slices.Contains(same, key), "%s is not tested", key)
	}
}

// serviceSettings are values that the Services of the runtime support.
var serviceSettings = map[string]string{
	"annotations": `{"team": "a"}`, "labels": `{"team": "b"}`, "nodePort": "30123", "type": `"NodePort"`, "externalTrafficPolicy": `"Local"`,
	"sessionAffinity": `"ClientIP"`, "loadBalancerSourceRanges": `["10.0.0.0/8"]`,
}

func TestEveryServiceOfTheRuntimeSupportsItsSettings(t *testing.T) {
	t.Parallel()
	for values, name := range services {
		t.Run(values, func(t *testing.T) {
			t.Parallel()
			objects := configured(values).Objects(t)
			service := render.Find(objects, "Service", name)
			require.NotNil(t, service)
			assert.Equal(t, "a", service.GetAnnotations()["team"])
			assert.Equal(t, "b", service.GetLabels()["team"])
			for field, want := range map[string]any{"type": "NodePort", "externalTrafficPolicy": "Local", "sessionAffinity": "ClientIP"} {
				assert.Equal(t, want, lookUp(t, service.Object, "spec/"+field), field)
			}
			assert.Equal(t, "10.0.0.0/8", lookUp(t, service.Object, "spec/loadBalancerSourceRanges/0"))
			assert.EqualValues(t, 30123, lookUp(t, service.Object, "spec/ports/0/nodePort"))
		})
	}
}

// holds reports whether a value occurs anywhere in another.
func holds(value, want any) bool {
	switch at := value.(type) {
	case map[string]any:
		for _, inner := range at {
			if holds(inner, want) {
				return true
			}
		}
		return false
	case []any:
		return slices.ContainsFunc(at, func(inner any) bool { return holds(inner, want) })
	}
	return assert.ObjectsAreEqualValues(want, value)
}
