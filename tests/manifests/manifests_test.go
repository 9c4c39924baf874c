package manifests_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/manifests"
)

const good = `---
# Source: runtime/templates/objects.yaml
apiVersion: v1
kind: Secret
metadata: {name: s, namespace: apps, annotations: null}
data: {token: dG9rZW4=}
stringData: {a: b}
---
apiVersion: v1
kind: Service
metadata: {name: s}
spec: {ports: [{port: 80, targetPort: http}, {port: 81, targetPort: 8080}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec:
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers:
      - name: main
        image: i
        env: [{name: A, value: "1"}]
        resources: {limits: {cpu: 1, memory: 128Mi}}
---
# nothing here
---
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {generateName: w-}
spec:
  entrypoint: main
  templates: [{name: main, container: {image: i, args: [a]}}]
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: a}
spec:
  project: default
  source: {repoURL: r, path: p}
  destination: {server: s, namespace: apps}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: r}
spec: {hostnames: [a.b], rules: [{backendRefs: [{name: s, port: 80}]}]}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: m}
spec: {selector: {matchLabels: {a: b}}, endpoints: [{port: metrics, targetPort: 80}]}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: b}}
`

func TestValidate(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	validator, err := manifests.NewValidator(t.Context(), root)
	require.NoError(t, err)

	deployment := "# Source: a/b.yaml\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, namespace: apps}\n" +
		"spec: {selector: {matchLabels: {}}, template: {spec: {containers: [{name: m, image: i, SETTING}]}}}\n"
	with := func(setting string) string { return strings.Replace(deployment, "SETTING", setting, 1) }
	for name, tc := range map[string]struct {
		stream string
		want   []string
	}{
		"valid objects": {good, nil},
		"unknown field": {with("imagePullpolicy: Always"), []string{
			"a/b.yaml: Deployment apps/d /spec/template/spec/containers/0: additionalProperties 'imagePullpolicy' not allowed"}},
		"wrong type": {with("env: [{name: A, value: 1}]"), []string{
			"a/b.yaml: Deployment apps/d /spec/template/spec/containers/0/env/0/value: expected string, but got number"}},
		"not a quantity": {with("resources: {limits: {cpu: a lot}}"), []string{
			"a/b.yaml: Deployment apps/d /spec/template/spec/containers/0/resources/limits/cpu: does not match pattern " +
				`'^[+-]?([0-9]+|[0-9]+\\.[0-9]*|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$'`}},
		"missing field": {"apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{name: a}]}", []string{
			"Service s /spec/ports/0: missing properties: 'port'"}},
		"not base64": {"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: '%'}", []string{
			"Secret s /data/a: '%' is not valid 'byte'"}},
		"duplicate key": {"apiVersion: v1\nkind: Secret\nkind: Secret\n", []string{
			`yaml: unmarshal errors:` + "\n" + `  line 3: key "kind" already set in map`}},
		"no longer served": {"apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: p}\n", []string{
			"PodDisruptionBudget p: policy/v1beta1 PodDisruptionBudget: unknown to Kubernetes v1.34.4 and to the custom resources of the charts"}},
		"no name":        {"apiVersion: v1\nkind: ConfigMap\n", []string{"ConfigMap /metadata/name: is missing"}},
		"not an object":  {"[a]", []string{"is not an object"}},
		"duplicate name": {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n", []string{"ConfigMap c: is rendered twice"}},
		"custom resource": {"apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {name: w, lables: {}}\nspec: {templates: [{contaner: {}}]}\n", []string{
			"Workflow w /metadata: additionalProperties 'lables' not allowed",
			"Workflow w /spec/templates/0: additionalProperties 'contaner' not allowed"}},
		"in a list": {"apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: 1}}]", []string{
			"ConfigMap c /data/a: expected string, but got number"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, problem := range validator.Validate(tc.stream) {
				got = append(got, problem.String())
			}
			assert.ElementsMatch(t, tc.want, got)
		})
	}

	t.Run("concurrent use", func(t *testing.T) {
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() { assert.Empty(t, validator.Validate(good)) })
		}
		group.Wait()
	})
}

func TestNewValidatorOutsideACheckout(t *testing.T) {
	_, err := manifests.NewValidator(t.Context(), t.TempDir())
	assert.ErrorContains(t, err, "go.mod")
}
