//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/localcluster/install"
)

// uninstall: nothing of the release is left, on the platform, in its namespace or outside any; before is what the cluster had outside any
// namespace before the first install. Argo's definitions stay, and with them what the API server makes of each, and Argo CD's project "default",
// where users write policy. The keys of sealed-secrets stay with its definition: without them
// no SealedSecret could be read again.
func (e *environment) uninstall(t *testing.T, before []string) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	require.Equal(t, []string{install.Name, "taken"}, e.platform(t).runtimes(t))
	require.NoError(t, e.local.Kubectl.Delete(ctx, documents(t, hook), time.Minute)) // the user's own goes first
	require.NoError(t, e.local.Helm.Uninstall(ctx, install.Release, install.Namespace, 3*time.Minute, t.Output()))
	assert.Equal(t, []string{"taken"}, e.platform(t).runtimes(t))
	eventually(t, "nothing of the release is left", time.Minute, func(ctx context.Context) error {
		inside, err := e.list(ctx, install.Namespace)
		if err != nil {
			return err
		}
		outside, err := e.list(ctx, "")
		if err != nil {
			return err
		}
		inside = without(inside, append(ofEveryNamespace(), "appprojects/default"), "secrets/sealed-secrets-key")
		outside = withoutDefinitions(without(outside, before))
		if len(inside)+len(outside) > 0 {
			return fmt.Errorf("in the namespace %v, outside any %v", inside, outside)
		}
		return nil
	})
}
