package cluster_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDelete(t *testing.T) {
	t.Parallel()
	const secret, deployment = "/api/v1/namespaces/ns/secrets/s", "/apis/apps/v1/namespaces/ns/deployments/d"
	client, requests := answers(t, map[string]string{
		"DELETE " + secret: "{}", "DELETE " + deployment + "?propagationPolicy=Foreground": "{}", "DELETE " + secret + "-forbidden": "no",
	})
	gone, err := client.Delete(t.Context(), secret)
	require.NoError(t, err)
	assert.False(t, gone)
	gone, err = client.DeleteWithDependents(t.Context(), deployment)
	require.NoError(t, err)
	assert.False(t, gone)
	gone, err = client.DeleteWithDependents(t.Context(), deployment+"-absent")
	require.NoError(t, err)
	assert.True(t, gone)
	_, err = client.Delete(t.Context(), secret+"-forbidden")
	assert.EqualError(t, err, "delete secrets: HTTP 403")
	assert.Equal(t, []string{
		"DELETE " + secret, "DELETE " + deployment + "?propagationPolicy=Foreground", "DELETE " + deployment + "-absent?propagationPolicy=Foreground",
		"DELETE " + secret + "-forbidden",
	}, *requests)
}
