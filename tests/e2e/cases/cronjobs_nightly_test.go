//go:build e2e && nightly

package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
)

// TestCronJobs runs the Jobs of the CronJobs of doctor and backup, with their images, roles and NetworkPolicies: a healthy runtime passes, a fault fails the Job and
// becomes an Event, and an archive is on the volume.
func TestCronJobs(t *testing.T) {
	e := start(t)
	defer e.clean(t)
	p := e.tools(t)
	image := ""
	for _, name := range e.local.Catalog.All() {
		if strings.Contains(name, "/validate-values:") {
			image = name
		}
	}
	require.NotEmpty(t, image)
	_, err := e.local.Catalog.Ensure(t.Context(), []string{image}, e.local.Observer)
	require.NoError(t, err)
	require.NoError(t, e.local.Catalog.Push(t.Context(), []images.Pair{{Source: image, Target: install.RegistryInCluster + image[strings.LastIndex(image, "/"):]}}, install.RegistryOnHost, e.local.Observer))
	key, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	e.install(t, images.Tunnel)
	e.apply(t, fmt.Sprintf("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: e2e-backups, namespace: %s}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 100Mi}}}}", install.Namespace))
	const repository = install.RegistryInCluster + "/validate-values"
	e.installFiles(t, images.Tunnel, []string{file(t, fmt.Sprintf(`
global: {networkPolicy: {restrictEgress: true}}
doctor: {enabled: true, image: {repository: %s, pullPolicy: Always}}
backup: {enabled: true, image: {repository: %s, pullPolicy: Always}, recipients: [%s], volume: {existingClaim: e2e-backups}}
`, repository, repository, key.Recipient()))})

	// job runs a Job of a CronJob, and returns its log.
	job := func(t *testing.T, of, condition string) string {
		t.Helper()
		const script = `kubectl --namespace %[1]s delete job e2e-%[2]s --ignore-not-found
kubectl --namespace %[1]s create job e2e-%[2]s --from=cronjob/%[2]s
kubectl --namespace %[1]s wait job/e2e-%[2]s --for=condition=%[3]s --timeout=4m || { kubectl --namespace %[1]s logs job/e2e-%[2]s; exit 1; }
kubectl --namespace %[1]s logs job/e2e-%[2]s`
		out, err := p.shell(t.Context(), fmt.Sprintf(script, install.Namespace, of, condition))
		require.NoError(t, err)
		return out
	}
	require.True(t, e.run(t, "backup", func(t *testing.T) {
		assert.Contains(t, job(t, "runtime-backup", "complete"), "wrote /backups/"+install.Namespace+"-"+install.Release+"-")
	}))
	require.True(t, e.run(t, "healthy", func(t *testing.T) {
		p.healthy(t)
		out := job(t, "runtime-doctor", "complete")
		assert.NotContains(t, out, "UNKNOWN")
	}))
	e.run(t, "fault", func(t *testing.T) {
		_, err := p.shell(t.Context(), "kubectl --namespace "+install.Namespace+" delete configmap codefresh-workflows-log-store")
		require.NoError(t, err)
		begun := time.Now()
		assert.Contains(t, job(t, "runtime-doctor", "failed"), "REL201")
		out, err := p.shell(t.Context(), "kubectl --namespace "+install.Namespace+" get events --field-selector reason=REL201 --output jsonpath='{.items[*].involvedObject.name}'")
		require.NoError(t, err)
		assert.Contains(t, out, "codefresh-workflows-log-store")
		t.Logf("an Event after %.0f s", time.Since(begun).Seconds())
	})
}
