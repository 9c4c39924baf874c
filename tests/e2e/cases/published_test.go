//go:build e2e && publish

package e2e_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
	"gitops-runtime/tests/e2e/kindcluster"
)

// releaseAt and releaseOnHost are the addresses of the published release, for the cluster and for this machine.
const (
	releaseAt     = install.RegistryInCluster + "/published"
	releaseOnHost = install.RegistryOnHost + "/published"
)

// TestPublishedRelease publishes the checkout to the registry on this machine, verifies it there, and installs the runtime from it, as its page for
// users describes: the chart and the image of the hook are pulled by the verified digests from that registry; other images from the local cluster's.
// Then helm test passes.
func TestPublishedRelease(t *testing.T) {
	e := start(t)
	digest := e.publish(t)
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	require.NoError(t, e.local.Cluster.ForgetRegistry(ctx, install.RegistryInCluster))
	upgrade := install.Upgrade{
		Release: install.Release, Namespace: install.Namespace, Chart: "oci://" + releaseOnHost + "/gitops-runtime@" + digest,
		ValueFiles: []string{e.ready.ValueFiles[0], withoutInstaller(t, e.ready.ValueFiles[1])},
		Args:       []string{"--plain-http"}, Timeout: 10 * time.Minute,
	}
	defer e.clean(t) // the context of a test has ended when its cleanups run
	begun := time.Now()
	require.NoError(t, e.local.Helm.Upgrade(ctx, upgrade, t.Output()))
	t.Logf("helm upgrade --install from %s: %.0f s until every workload was ready", upgrade.Chart, time.Since(begun).Seconds())
	require.NoError(t, e.local.Status(ctx, images.Tunnel, e.ready))

	listed, err := e.local.Cluster.Engine.Run(ctx, "exec", kindcluster.Name+"-control-plane", "ctr", "--namespace=k8s.io", "images", "list", "--quiet")
	require.NoError(t, err)
	require.Regexp(t, regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(releaseAt)+`/gitops-runtime-installer@sha256:[0-9a-f]{64}$`), listed, "the node pulled the hook's image by digest from where it was published")
	e.beginHelmTest(t, install.Namespace)(t)
}

// verified is the line of the umbrella chart in the output of verify.
var verified = regexp.MustCompile(`(?m)^  ok   \S+/gitops-runtime:\S+@(sha256:[0-9a-f]{64}): `)

// publish publishes the checkout with a key of the test, twice, and verifies it; it returns the verified digest of the umbrella chart.
func (e *environment) publish(t *testing.T) string {
	t.Helper()
	keys := t.TempDir()
	run := func(folder, program string, arguments ...string) string {
		begun := time.Now()
		command := exec.CommandContext(t.Context(), filepath.Join(e.local.Root, "bin", program), arguments...)
		command.Dir, command.Env = folder, append(os.Environ(), "COSIGN_PASSWORD=", "OFFLINE=1")
		out, err := command.CombinedOutput()
		require.NoError(t, err, "%s %v: %s", program, arguments, out)
		t.Logf("%s %s: %.0f s\n%s", program, arguments[0], time.Since(begun).Seconds(), out)
		return string(out)
	}
	run(keys, "cosign", "generate-key-pair")
	reach := install.RegistryInCluster + "=" + install.RegistryOnHost
	// an earlier run may have published another commit with another key
	run(e.local.Root, "release", "publish", releaseAt, "--reach", reach, "--by-tag", "--dirty", "--replace", "--key", filepath.Join(keys, "cosign.key"))
	again := run(e.local.Root, "release", "publish", releaseAt, "--reach", reach, "--by-tag", "--dirty", "--key", filepath.Join(keys, "cosign.key"))
	require.NotContains(t, again, "  published ")
	found := verified.FindStringSubmatch(run(e.local.Root, "release", "verify", releaseAt, "--reach", reach, "--public-key", filepath.Join(keys, "cosign.pub")))
	require.NotNil(t, found)
	return found[1]
}

// withoutInstaller returns the values that redirect to the local cluster's images, without the product's own image.
func withoutInstaller(t *testing.T, path string) string {
	t.Helper()
	var values map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(readFile(t, path)), &values))
	require.Contains(t, values, "installer")
	delete(values, "installer")
	text, err := yaml.Marshal(values)
	require.NoError(t, err)
	return file(t, string(text))
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}
