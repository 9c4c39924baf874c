package cluster_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/cluster"
)

func TestOwners(t *testing.T) {
	const role, secret = "/apis/rbac.authorization.k8s.io/v1/namespaces/ns/roles/r", "/api/v1/namespaces/ns/secrets/s"
	client, asked := server(t, map[string]string{
		role:   `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"r","uid":"1-2"}}`,
		secret: `{}`,
	})
	owner, err := client.Identify(t.Context(), role)
	require.NoError(t, err)
	assert.Equal(t, cluster.Identity{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "Role", Name: "r", UID: "1-2"}, owner)
	require.NoError(t, client.Own(t.Context(), secret, owner))
	assert.Equal(t, []string{
		"GET " + role,
		"PATCH " + secret + ` {"metadata":{"ownerReferences":[{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","name":"r","uid":"1-2"}]}}`,
	}, *asked)

	_, err = client.Identify(t.Context(), role+"x")
	assert.EqualError(t, err, "get roles/rx: HTTP 404")
	assert.EqualError(t, client.Own(t.Context(), secret+"x", owner), "patch secrets/sx: HTTP 404")
}
