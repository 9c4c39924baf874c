package cluster_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/cluster"
)

func TestParseObject(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ path, name string }{
		"secrets.v1/codefresh-token":                      {"/api/v1/namespaces/ns/secrets/codefresh-token", "secrets/codefresh-token"},
		"sensors.v1alpha1.argoproj.io/events-reporter":    {"/apis/argoproj.io/v1alpha1/namespaces/ns/sensors/events-reporter", "sensors.argoproj.io/events-reporter"},
		"clusterroles.v1.rbac.authorization.k8s.io/ns-x":  {"/apis/rbac.authorization.k8s.io/v1/clusterroles/ns-x", "clusterroles.rbac.authorization.k8s.io/ns-x"},
		"leases.v1.coordination.k8s.io/argo-events-lease": {"/apis/coordination.k8s.io/v1/namespaces/ns/leases/argo-events-lease", "leases.coordination.k8s.io/argo-events-lease"},
	} {
		object, err := cluster.ParseObject(text)
		require.NoError(t, err)
		assert.Equal(t, want.path, object.Path("ns"))
		assert.Equal(t, want.name, object.String())
	}
	for _, text := range []string{"", "secrets", "secrets/x", "secrets.v1/", ".v1/x"} {
		_, err := cluster.ParseObject(text)
		assert.EqualError(t, err, `"`+text+`" names no object; write resource.version[.group]/name, as in secrets.v1/codefresh-token`)
	}
}
