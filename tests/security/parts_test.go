package security

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/facts"
	"gitops-runtime/tests/golden"
)

func document(t *testing.T, text string) golden.Document {
	t.Helper()
	object := &unstructured.Unstructured{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &object.Object))
	return golden.Document{Text: text, Object: object}
}

const role = `# Source: x
kind: Role
metadata: {name: r}
rules:
  # reads: what it needs
  - apiGroups: [""]
    resources: [secrets]
    resourceNames: [a]
    verbs: [get]
  - nonResourceURLs: ["*"]
    verbs: ["*"]
`

const roleBinding = `# Source: x
# why it is bound
kind: RoleBinding
metadata: {name: b, namespace: kube-system}
roleRef: {kind: Role, name: r}
subjects: [{kind: ServiceAccount, name: s}]
`

func TestRulesOf(t *testing.T) {
	t.Parallel()
	rules, err := rulesOf(document(t, role))
	require.NoError(t, err)
	require.Len(t, rules, 2)
	assert.Equal(t, "reads: what it needs", rules[0].why)
	assert.Equal(t, "secrets named a", rules[0].what())
	assert.True(t, rules[0].reads("secrets"))
	assert.Empty(t, rules[1].why)
	assert.Equal(t, "paths *", rules[1].what())
}

func TestAccountsListRulesWithoutAReason(t *testing.T) {
	t.Parallel()
	all := []release{{name: "case", documents: []golden.Document{document(t, role), document(t, roleBinding)}}}
	owners, unbound, missing, err := accounts(all)
	require.NoError(t, err)
	assert.Equal(t, []string{"s, case case: * paths *"}, missing)
	assert.Empty(t, unbound.keys)
	require.Equal(t, []string{"s"}, owners.keys)
	assert.Equal(t, "namespace kube-system", owners.at("s").rights.at(owners.at("s").rights.keys[0]).scope)
}

func TestTheReasonForAClusterRoleIsAtItsBinding(t *testing.T) {
	t.Parallel()
	owners, _, missing, err := accounts([]release{{name: "case", documents: []golden.Document{document(t, roleBinding)}}})
	require.NoError(t, err)
	assert.Empty(t, missing)
	rights := owners.at("s").rights
	assert.Equal(t, "why it is bound", rights.at(rights.keys[0]).why)
	assert.Equal(t, "what the cluster's own Role r allows", rights.at(rights.keys[0]).what())
}

func TestReferences(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []string{"a", "b", "c", "d"}, facts.Secrets(document(t, `
kind: Deployment
metadata: {name: x}
spec:
  imagePullSecrets: [{name: d}]
  containers:
    - env: [{name: A, valueFrom: {secretKeyRef: {name: a, key: k}}}]
  volumes:
    - secret: {secretName: b}
    - projected: {sources: [{secret: {name: c}}]}
`).Object.Object))
}

func TestOutwardListsTargetsWithoutAReason(t *testing.T) {
	t.Parallel()
	found, missing, err := outward([]release{{name: "case", documents: []golden.Document{document(t, `
kind: NetworkPolicy
metadata: {name: p}
spec:
  egress:
    # names
    - ports: [{port: 53, protocol: UDP}]
    - ports: [{port: 443, protocol: TCP}]
    - to: [{podSelector: {}}]
`)}}})
	require.NoError(t, err)
	assert.Equal(t, []string{"NetworkPolicy p, case case: ports 443 to outside"}, missing)
	require.Equal(t, []string{"names"}, found.keys)
	assert.Equal(t, &target{ports: []string{"53/UDP"}, workloads: []string{"p"}}, found.at("names"))
}

func TestOccasions(t *testing.T) {
	t.Parallel()
	all := occasions{"a", "b", "c"}
	assert.Empty(t, all.of(all))
	assert.Equal(t, "not c", occasions{"a", "b"}.of(all))
	assert.Equal(t, "only c", occasions{"c"}.of(all))
}
