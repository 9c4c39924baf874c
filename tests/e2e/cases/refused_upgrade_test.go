//go:build e2e

package e2e_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/install"
)

// refusedUpgrade checks that an existing runtime is identified by its own token, keeps its name, and keeps running.
func (e *environment) refusedUpgrade(t *testing.T) {
	before := e.pods(t, "")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var out strings.Builder
	require.Error(t, e.local.Helm.Upgrade(ctx, install.Upgrade{
		Release: install.Release, Chart: filepath.Join(e.local.Root, "charts", "gitops-runtime"), Namespace: install.Namespace,
		ValueFiles: e.ready.ValueFiles, Sets: []string{"global.runtime.name=renamed"}, Timeout: time.Minute,
	}, &out))
	const code, message = "RUN204", "The runtime of this namespace is registered under a name other than \"renamed\"."
	assert.Contains(t, out.String(), code+"  "+message+"\n")
	assert.Contains(t, out.String(), "ok       RUN300  The runtime's own token is valid\n")
	e.reportsReason(t, install.Namespace, code, message)
	inside, err := e.list(ctx, install.Namespace)
	require.NoError(t, err)
	assert.Empty(t, without(containing(inside, "validate-values"), nil, "jobs/", "pods/"))
	outside, err := e.list(ctx, "")
	require.NoError(t, err)
	assert.Empty(t, containing(outside, "validate-values"))
	assert.Equal(t, before, e.pods(t, ""))
	assert.Equal(t, []string{install.Name, "taken"}, e.platform(t).runtimes(t))
}
