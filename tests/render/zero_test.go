package render_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/render"
)

// absent is the expected value of a field that is not rendered.
type absent struct{}

// zeroCase sets one value of a component to zero, empty, false or null, and names the field that it changes.
type zeroCase struct {
	value  string // below the component's path
	json   string
	kind   string // of the object; the component's workload if empty
	path   string
	want   any
	except []string // names of workloads that do not support the value
}

// fixedReplicas are workloads that always have one replica.
var fixedReplicas = []string{"cf-argocd-dex-server", "cf-argocd-notifications-controller", "runtime-redis", "sealed-secrets-controller", "codefresh-tunnel-client", "cf-tunnel-server"}

// replicaCounts are workloads that have the value replicaCount instead of replicas.
var replicaCounts = []string{"cap-app-proxy", "internal-router", "gitops-operator", "runtime-event-reporter", "cluster-event-reporter"}

const podPath, containerPath = "spec/template/spec/", "spec/template/spec/containers/0/"

// zeroCases returns the empty values of every component. An empty value of a component overrides the value in global.
func zeroCases() []zeroCase {
	noReplicas := append(slices.Clone(fixedReplicas), replicaCounts...)
	noLiveness := []string{"cf-argocd-application-controller", "cf-argo-rollouts-dashboard"}
	noReadiness := []string{"cf-argo-workflows-workflow-controller"}
	return []zeroCase{
		{"replicas", `0`, "", "spec/replicas", 0.0, noReplicas},
		{"revisionHistoryLimit", `0`, "", "spec/revisionHistoryLimit", 0.0, nil},
		{"terminationGracePeriodSeconds", `0`, "", podPath + "terminationGracePeriodSeconds", 0.0, nil},
		{"nodeSelector", `{}`, "", podPath + "nodeSelector", absent{}, nil},
		{"tolerations", `[]`, "", podPath + "tolerations", absent{}, nil},
		{"affinity", `{}`, "", podPath + "affinity", absent{}, []string{"cf-argocd-redis-ha-server", "cf-argocd-redis-ha-haproxy"}},
		{"topologySpreadConstraints", `[]`, "", podPath + "topologySpreadConstraints", absent{}, []string{"cf-argocd-redis-ha-server"}},
		{"priorityClassName", `""`, "", podPath + "priorityClassName", absent{}, nil},
		{"runtimeClassName", `""`, "", podPath + "runtimeClassName", absent{}, nil},
		{"hostAliases", `[]`, "", podPath + "hostAliases", absent{}, nil},
		{"dnsConfig", `{}`, "", podPath + "dnsConfig", absent{}, nil},
		{"automountServiceAccountToken", `false`, "", podPath + "automountServiceAccountToken", false, nil},
		{"containerSecurityContext.allowPrivilegeEscalation", `true`, "", containerPath + "securityContext/allowPrivilegeEscalation", true, nil},
		{"containerSecurityContext.runAsNonRoot", `false`, "", containerPath + "securityContext/runAsNonRoot", false, nil},
		{"containerSecurityContext.readOnlyRootFilesystem", `false`, "", containerPath + "securityContext/readOnlyRootFilesystem", false, nil},
		{"livenessProbe.initialDelaySeconds", `0`, "", containerPath + "livenessProbe/initialDelaySeconds", 0.0, noLiveness},
		{"readinessProbe.initialDelaySeconds", `0`, "", containerPath + "readinessProbe/initialDelaySeconds", 0.0, noReadiness},
		{"pdb.minAvailable", `0`, "PodDisruptionBudget", "spec/minAvailable", 0.0, nil},
		{"autoscaling.minReplicas", `0`, "HorizontalPodAutoscaler", "spec/minReplicas", 0.0, fixedReplicas},
		{"serviceAccount.automountServiceAccountToken", `false`, "ServiceAccount", "automountServiceAccountToken", false, nil},
	}
}

// nullCases returns the same values as null, which keeps the value in global.
func nullCases() []zeroCase {
	return []zeroCase{
		{"nodeSelector", `null`, "", podPath + "nodeSelector/global", "node", nil},
		{"tolerations", `null`, "", podPath + "tolerations/0/key", "global", nil},
		{"topologySpreadConstraints", `null`, "", podPath + "topologySpreadConstraints/0/topologyKey", "global", []string{"cf-argocd-redis-ha-server"}},
		{"priorityClassName", `null`, "", podPath + "priorityClassName", "global", nil},
		{"runtimeClassName", `null`, "", podPath + "runtimeClassName", "global", nil},
		{"hostAliases", `null`, "", podPath + "hostAliases/0/ip", "192.0.2.9", nil},
		{"dnsConfig", `null`, "", podPath + "dnsConfig/nameservers/0", "192.0.2.9", nil},
	}
}

// globals returns settings of every pod that components override.
func globals() map[string]string {
	return map[string]string{
		"global.nodeSelector":              `{"global": "node"}`,
		"global.tolerations":               `[{"key": "global", "operator": "Exists"}]`,
		"global.affinity":                  `{"podAntiAffinity": "soft"}`,
		"global.topologySpreadConstraints": `[{"maxSkew": 1, "topologyKey": "global", "whenUnsatisfiable": "DoNotSchedule"}]`,
		"global.priorityClassName":         `"global"`,
		"global.runtimeClassName":          `"global"`,
		"global.hostAliases":               `[{"ip": "192.0.2.9", "hostnames": ["global"]}]`,
		"global.dnsConfig":                 `{"nameservers": ["192.0.2.9"]}`,
	}
}

// allComponents returns the components of every chart, including those of the runtime.
func allComponents() []component {
	all := components()
	on := map[string]string{"sealed-secrets.enabled": "true", "redis.enabled": "true"}
	for _, entry := range []component{
		{path: "app-proxy", name: "cap-app-proxy"},
		{path: "internal-router", name: "internal-router"},
		{path: "gitops-operator", name: "gitops-operator"},
		{path: "argo-gateway", name: "argo-gateway"},
		{path: "event-reporters.runtime-event-reporter", name: "runtime-event-reporter"},
		{path: "event-reporters.cluster-event-reporter", name: "cluster-event-reporter"},
		{path: "redis", name: "runtime-redis"},
		{path: "sealed-secrets", name: "sealed-secrets-controller"},
		{path: "tunnel-client", name: "codefresh-tunnel-client"},
	} {
		entry.chart, entry.kind, entry.on = "gitops-runtime", "Deployment", on
		all = append(all, entry)
	}
	return append(all, component{chart: "tunnel-server", kind: "Deployment", name: "cf-tunnel-server"})
}

// casesOf returns the cases whose values a component supports: the runtime's components have other values for replicas and service accounts, and the
// tunnel charts have only settings of pods.
func casesOf(c component, all []zeroCase) []zeroCase {
	return slices.DeleteFunc(slices.Clone(all), func(each zeroCase) bool {
		top, _, _ := strings.Cut(each.value, ".")
		switch {
		case slices.Contains(each.except, c.name):
			return true
		case strings.HasPrefix(c.chart+c.path, "tunnel-"), c.path == "tunnel-client":
			return !slices.Contains([]string{"nodeSelector", "tolerations", "affinity", "priorityClassName"}, top)
		case c.chart == "gitops-runtime":
			return slices.Contains([]string{"replicas", "pdb", "autoscaling", "serviceAccount"}, top)
		}
		return false
	})
}

// 0, false, "", [] and {} change their field and are not replaced with a default; null keeps the value in global.
func TestZeroesChangeTheirField(t *testing.T) {
	t.Parallel()
	counted := 0
	for _, c := range allComponents() {
		for title, all := range map[string][]zeroCase{"zero": zeroCases(), "null": nullCases()} {
			cases := casesOf(c, all)
			counted += len(cases)
			t.Run(c.chart+" "+c.path+" "+title, func(t *testing.T) {
				t.Parallel()
				objects := renderZeroes(t, c, all, false)
				scaled := objects
				if slices.ContainsFunc(cases, func(each zeroCase) bool { return each.kind == "HorizontalPodAutoscaler" }) {
					scaled = renderZeroes(t, c, all, true)
				}
				for _, each := range cases {
					t.Run(each.value+"="+each.json, func(t *testing.T) {
						kind, name := each.kind, c.name
						in := objects
						if kind == "" {
							kind = c.kind
						}
						if kind == "HorizontalPodAutoscaler" {
							in = scaled
						}
						if kind == "ServiceAccount" {
							name = lookUp(t, render.Find(in, c.kind, name).Object, podPath+"serviceAccountName").(string)
						}
						object := render.Find(in, kind, name)
						require.NotNil(t, object, "%s/%s", kind, name)
						assert.Equal(t, each.want, lookUp(t, object.Object, each.path), "%s/%s %s", kind, name, each.path)
					})
				}
			})
		}
	}
	assert.GreaterOrEqual(t, counted, 600)
}

// renderZeroes renders the chart of a component with the values of all cases for all components that the same switches enable, so that they share a render;
// with or without autoscalers, which own the replicas.
func renderZeroes(t *testing.T, c component, all []zeroCase, scaled bool) []render.Object {
	t.Helper()
	set := globals()
	for _, each := range allComponents() {
		if each.chart == c.chart && maps.Equal(each.on, c.on) {
			setZeroes(set, each, casesOf(each, all), scaled)
		}
	}
	release := render.Release{Chart: c.chart, Set: c.on, SetJSON: set}
	switch c.chart {
	case "gitops-runtime":
		release.Files = []string{"tunnel"}
	case "tunnel-server":
		release.Files = []string{"default"}
	}
	return release.Objects(t)
}

// setZeroes adds the values of the cases of a component.
func setZeroes(set map[string]string, c component, cases []zeroCase, scaled bool) {
	prefix := c.path + "."
	if c.path == "" {
		prefix = ""
	}
	for _, each := range cases {
		set[prefix+each.value] = each.json
		if switched, _, below := strings.Cut(each.value, "."); below && strings.HasPrefix(c.chart, "argo-") {
			switch switched {
			case "pdb", "livenessProbe", "readinessProbe":
				set[prefix+switched+".enabled"] = `true`
			case "autoscaling":
				set[prefix+"autoscaling.enabled"] = strconv.FormatBool(scaled)
			}
		}
	}
}
