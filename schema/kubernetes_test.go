package schema

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/dropped"
	"gitops-runtime/internal/gomodule"
)

// shapeCases are values of the keys that have the same name in every chart: valid ones, and ones that Kubernetes would reject or drop.
var shapeCases = []struct {
	definition     string
	taken, refused []string
}{
	{
		"resources",
		[]string{"{limits: {cpu: 2, memory: 1Gi, nvidia.com/gpu: 1, ephemeral-storage: 1Gi}}", "{requests: {cpu: 100m, memory: 0.5}}", "{claims: [{name: gpu}]}", "null", "{}"},
		[]string{"{limit: {cpu: 1}}", "{limits: {memory: 1 Gi}}", "{limits: {cpu: [1]}}", "[]"},
	},
	{
		"probe",
		[]string{"{enabled: false}", "{periodSeconds: 5, httpGet: {path: /x}}", "{exec: {command: [a]}}", "null"},
		[]string{"{periodSecond: 5}", "{httpGet: {paths: /x}}", "{periodSeconds: often}"},
	},
	{
		"tolerations",
		[]string{"[{key: a, operator: Exists, effect: NoSchedule}]", "[]", "null", "[{tolerationSeconds: 5}]"},
		[]string{"[{key: a, efect: NoSchedule}]", "[a]", "{}"},
	},
	{
		"affinity",
		[]string{"{podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: a, labelSelector: {matchLabels: {a: b}}}}]}}", "{}", "null"},
		[]string{"{podAntiAfinity: {}}", "{nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerm: []}}}"},
	},
	{"container-security-context", []string{"{runAsUser: 1, capabilities: {drop: [ALL]}}", "null"}, []string{"{runAsUsr: 1}", "{runAsUser: root}"}},
	{"pod-security-context", []string{"{fsGroup: 1, seccompProfile: {type: RuntimeDefault}}", "null"}, []string{"{fsgroup: 1}"}},
	{"volumes", []string{"[{name: a, configMap: {name: b, items: [{key: k, path: p}]}}]", "[{name: a, emptyDir: {sizeLimit: 1Gi}}]"}, []string{"[{name: a, configmap: {name: b}}]", "[{emptyDir: {}}]"}},
	{"volume-mounts", []string{"[{name: a, mountPath: /a, readOnly: true}]"}, []string{"[{name: a, mountpath: /a}]", "[{name: a}]"}},
	{"topology-spread-constraints", []string{"[{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule}]", "[]"}, []string{"[{maxSkew: 1, topologyKeys: a, whenUnsatisfiable: DoNotSchedule}]"}},
	{"env", []string{"[{name: A, value: b}]", "[{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]", "{A: b, B: 1, C: {valueFrom: {fieldRef: {fieldPath: a}}}}"}, []string{"[{name: A, valu: b}]", "[{value: b}]", "{A: {valuefrom: {}}}"}},
	{"env-from", []string{"[{secretRef: {name: a}}]"}, []string{"[{secretref: {name: a}}]"}},
	{"containers", []string{"[{name: a, image: b, ports: [{containerPort: 1}]}]", "[]", "{}"}, []string{"[{name: a, img: b}]", "[{image: b}]"}},
	{"lifecycle", []string{"{preStop: {exec: {command: [a]}}}"}, []string{"{prestop: {}}"}},
	{"host-aliases", []string{"[{ip: 10.0.0.1, hostnames: [a]}]"}, []string{"[{ip: 10.0.0.1, hosts: [a]}]"}},
	{"dns-config", []string{"{nameservers: [a]}"}, []string{"{nameserver: [a]}"}},
	{"deployment-strategy", []string{"{type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 0}}"}, []string{"{rollingUpdate: {maxsurge: 1}}"}},
	{"string-map", []string{"{a: b, c: 1, d: true}", "{}", "null"}, []string{"{a: {b: c}}", "[a]"}},
	{"ingress-tls", []string{"[{secretName: a, hosts: [b]}]"}, []string{"[{secret: a}]"}},
}

// Values with these keys are validated the same way in every chart, at any path, with and without defaults.
func TestEveryChartKnowsTheShapesOfKubernetes(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(root, "charts", "*", "values.schema.json"))
	require.NoError(t, err)
	count := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		compiled := compiledSchema(t, text)
		var node Node
		require.NoError(t, json.Unmarshal(text, &node))
		for path, definition := range shapedPaths(node, nil) {
			count[definition]++
			for _, shape := range shapeCases {
				if shape.definition != definition {
					continue
				}
				for _, value := range shape.taken {
					assert.NoError(t, compiled.Validate(at(t, path, value)), "%s: %s: %s", filepath.Base(filepath.Dir(file)), path, value)
				}
				for _, value := range shape.refused {
					assert.Error(t, compiled.Validate(at(t, path, value)), "%s: %s: %s", filepath.Base(filepath.Dir(file)), path, value)
				}
			}
		}
	}
	for _, shape := range shapeCases {
		assert.Positive(t, count[shape.definition], "no value has the shape %s", shape.definition)
	}
	t.Log(count)
}

// shapedPaths returns the paths of the values that refer to a definition, with its name.
func shapedPaths(node Node, path dropped.Path) map[string]string {
	found := map[string]string{}
	properties, _ := node["properties"].(Node)
	for key, value := range properties {
		child := value.(Node)
		below := append(slices.Clone(path), key)
		if reference, ok := child["$ref"].(string); ok {
			found[below.String()] = strings.TrimPrefix(reference, local)
		}
		for deeper, definition := range shapedPaths(child, below) {
			found[deeper] = definition
		}
	}
	return found
}

func compiledSchema(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	compiled, err := jsonschema.CompileString("values.schema.json", string(text))
	require.NoError(t, err)
	return compiled
}

// at returns values with one value at a path.
func at(t *testing.T, path, value string) any {
	t.Helper()
	var made any
	require.NoError(t, yaml.Unmarshal([]byte(value), &made))
	for _, key := range slices.Backward(dropped.ParsePath(path)) {
		made = map[string]any{key: made}
	}
	return made
}

// Only the listed values with these keys have another type than in Kubernetes, each with the reason.
func TestValuesWithTheKeyOfAShapeHaveIt(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	exceptions := []string{
		"argo-cd: global.affinity",                                                                                                             // presets
		"argo-cd: redis-ha.affinity",                                                                                                           // also a string
		"argo-cd: redis-ha.haproxy.affinity",                                                                                                   // also a string
		"argo-cd: redis-ha.topologySpreadConstraints",                                                                                          // a boolean and one constraint
		"gitops-runtime: global.affinity",                                                                                                      // that of argo-cd
		"gitops-runtime: redis-ha.affinity", "gitops-runtime: redis-ha.haproxy.affinity", "gitops-runtime: redis-ha.topologySpreadConstraints", // as argo-cd's
	}
	files, err := filepath.Glob(filepath.Join(root, "charts", "*", "values.schema.json"))
	require.NoError(t, err)
	var without []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var node Node
		require.NoError(t, json.Unmarshal(text, &node))
		for _, path := range unshaped(node, nil) {
			without = append(without, filepath.Base(filepath.Dir(file))+": "+path)
		}
	}
	assert.ElementsMatch(t, exceptions, without)
}

func unshaped(node Node, path dropped.Path) []string {
	var found []string
	properties, _ := node["properties"].(Node)
	for key, value := range properties {
		child := value.(Node)
		if description, _ := child["description"].(string); strings.HasPrefix(description, "(left out)") {
			continue
		}
		below := append(slices.Clone(path), key)
		if slices.ContainsFunc([]string{"resources", "livenessProbe", "readinessProbe", "startupProbe", "tolerations", "affinity", "topologySpreadConstraints", "volumes", "extraVolumes", "securityContext", "containerSecurityContext", "podSecurityContext"}, func(name string) bool { return name == key }) && child["$ref"] == nil && child["const"] == nil {
			found = append(found, below.String())
		}
		found = append(found, unshaped(child, below)...)
	}
	return found
}
