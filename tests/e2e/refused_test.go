//go:build e2e

package e2e_test

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/runtime"
)

type refusal struct {
	name string
	sets []string
	// says is the finding's code and sentence as Helm prints them.
	says string
	// rendered means that the render itself fails: there is no hook and no release.
	rendered bool
}

func refusals() []refusal {
	return []refusal{
		{name: "bad-token", says: "ACC101  The platform platform.platform.svc.cluster.local refuses the user token (HTTP 401 Unauthorized).\n", sets: []string{"global.codefresh.userToken.token=revoked"}},
		{name: "taken-name", says: "RUN201  The account \"account-one\" already has a runtime \"taken\" (namespace elsewhere).\n", sets: []string{"global.runtime.name=taken"}},
		{name: "absent-secret", says: "TOK104  The Secret \"absent\" with the user token does not exist in namespace e2e-absent-secret.\n", sets: []string{
			"global.codefresh.userToken.token=", "global.codefresh.userToken.secretKeyRef.name=absent", "global.codefresh.userToken.secretKeyRef.key=token",
		}},
		{name: "no-account", rendered: true, says: "MOD201: Tunnel access needs global.codefresh.accountId.\n", sets: []string{"global.codefresh.accountId="}},
		{name: "no-host", rendered: true, says: "MOD301: Ingress access needs at least one host.\n", sets: []string{"global.runtime.ingress.enabled=true"}},
	}
}

// refused: wrong values are refused within a minute, in Helm's own words, and nothing of the runtime is left.
func (e *environment) refused(t *testing.T) {
	for _, wrong := range refusals() {
		e.run(t, wrong.name, func(t *testing.T) {
			t.Parallel()
			e.refuses(t, wrong)
		})
	}
}

func (e *environment) refuses(t *testing.T, wrong refusal) {
	namespace := "e2e-" + wrong.name
	e.namespace(t, namespace)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out bytes.Buffer
	begun := time.Now()
	err := e.local.Helm.Upgrade(ctx, runtime.Upgrade{
		Release: "refused", Chart: filepath.Join(e.local.Root, "charts", "gitops-runtime"), Namespace: namespace,
		ValueFiles: e.ready.ValueFiles, Sets: wrong.sets, Timeout: time.Minute,
	}, &out)
	t.Logf("refused after %.0f s", time.Since(begun).Seconds())
	require.Error(t, err)
	require.NoError(t, ctx.Err(), "not refused within a minute: %s", out.String())
	assert.Contains(t, out.String(), wrong.says)
	assert.Regexp(t, `(?m)^ +fix:? `, out.String())

	stays := []string{"jobs/validate-values", "pods/validate-values-", "secrets/sh.helm.release.v1.refused."}
	if wrong.rendered {
		stays = nil
	}
	inside, err := e.list(t.Context(), namespace)
	require.NoError(t, err)
	assert.Empty(t, without(inside, ofEveryNamespace(), stays...))
	outside, err := e.list(t.Context(), "")
	require.NoError(t, err)
	assert.Empty(t, containing(outside, namespace, "namespaces/"+namespace))
}
