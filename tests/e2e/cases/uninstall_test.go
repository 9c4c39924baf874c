//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/install"
)

// madeByRuntime is what the real programs create at runtime: an Application with a finalizer that only a controller removes, and the Secret of a Git
// integration.
var madeByRuntime = objects("made-by-runtime")

// uninstall checks that nothing of the release is left, on the platform, in its namespace or outside of any; before is what the cluster had outside
// of namespaces before the first install. Argo's CRDs are kept, with what the API server creates for each, and Argo CD's project "default", where
// users write policy. The keys of sealed-secrets are kept with its CRD: without them no SealedSecret could be decrypted again.
func (e *environment) uninstall(t *testing.T, before []string) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	require.Equal(t, []string{install.Name, "taken"}, e.platform(t).runtimes(t))
	require.NoError(t, e.local.Kubectl.Delete(ctx, documents(t, hook), time.Minute)) // the user's objects are deleted first
	e.apply(t, madeByRuntime)
	require.NoError(t, e.local.Helm.Uninstall(ctx, install.Release, install.Namespace, 3*time.Minute, t.Output()))
	application, err := e.object(ctx, "applications", install.Namespace, "e2e-internal")
	require.NoError(t, err)
	assert.Empty(t, application.GetFinalizers())
	require.NoError(t, e.objects.Resource(argo("applications")).Namespace(install.Namespace).Delete(ctx, "e2e-internal", metav1.DeleteOptions{}))
	assert.Equal(t, []string{"taken"}, e.platform(t).runtimes(t))
	eventually(t, "nothing of the release is left", time.Minute, func(ctx context.Context) error { return e.nothingLeft(ctx, before) })
}

// nothingLeft returns an error with what an uninstall has left of the runtime, in its namespace or outside of any, except for what the documentation
// lists.
func (e *environment) nothingLeft(ctx context.Context, before []string) error {
	inside, outside, err := e.remaining(ctx)
	if err != nil {
		return err
	}
	inside = without(inside, append(ofEveryNamespace(), "appprojects/default"), "secrets/sealed-secrets-key")
	outside = withoutDefinitions(without(outside, before))
	if len(inside)+len(outside) > 0 {
		return fmt.Errorf("in the namespace %v, outside any %v", inside, outside)
	}
	return nil
}

// remaining returns what exists in the runtime's namespace, and what exists outside any.
func (e *environment) remaining(ctx context.Context) (inside, outside []string, err error) {
	if inside, err = e.list(ctx, install.Namespace); err != nil {
		return nil, nil, err
	}
	outside, err = e.list(ctx, "")
	return inside, outside, err
}
