package facts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/facts"
)

// What one render adds to a role that nothing is bound to is not in the facts of the next, which has a binding and shares the parsed document.
func TestRolesOfOtherRenders(t *testing.T) {
	t.Parallel()
	const (
		role    = "\n---\nkind: Role\napiVersion: rbac.authorization.k8s.io/v1\nmetadata: {name: a, namespace: ns}\nrules: [{apiGroups: [\"\"], resources: [pods], verbs: [get]}]\n"
		binding = "\n---\nkind: RoleBinding\napiVersion: rbac.authorization.k8s.io/v1\nmetadata: {name: b, namespace: ns}\n" +
			"roleRef: {kind: Role, name: a}\nsubjects: [{kind: ServiceAccount, name: s, namespace: ns}]\n"
	)
	var reader facts.Reader
	alone, err := reader.Read(role)
	require.NoError(t, err)
	assert.Contains(t, alone["Role/a"], "core/pods get")
	both, err := reader.Read(role, binding)
	require.NoError(t, err)
	assert.NotContains(t, both["Role/a"], "core/pods get")
	assert.Contains(t, both["RIGHTS ns/s"], "ns core/pods get")
}
