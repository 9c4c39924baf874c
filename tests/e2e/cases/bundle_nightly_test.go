//go:build e2e && nightly

package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/install"
)

// behindGap is the place in the private registry that load fills; the node pulls from nowhere else in TestBundle.
const behindGap = install.RegistryInCluster + "/behind"

// TestBundle carries the runtime across a gap in one file, as the README of image-override describes: the images of the private registry, the chart and
// the values become a bundle, which load pushes to another place. The runtime is installed within the air gap from what load wrote alone: its copy of the
// chart, the values of the bundle and the values for that place.
func TestBundle(t *testing.T) {
	e := start(t)
	defer e.clean(t)
	folder := e.carried(t)
	gap := e.airGapped(t)
	charts, err := filepath.Glob(filepath.Join(folder, "behind", "bundle", "charts", "*.tgz"))
	require.NoError(t, err)
	require.Len(t, charts, 1)
	values, err := filepath.Glob(filepath.Join(folder, "behind", "bundle", "values", "*.yaml"))
	require.NoError(t, err)
	require.Len(t, values, len(e.ready.ValueFiles))
	upgrade := install.Upgrade{
		Release: install.Release, Namespace: install.Namespace, Chart: charts[0], Timeout: 15 * time.Minute,
		ValueFiles: append(values, filepath.Join(folder, "behind", "values-images-no-tags.yaml")),
	}
	require.True(t, e.run(t, "install", func(t *testing.T) {
		begun := time.Now()
		require.NoError(t, e.local.Helm.Upgrade(t.Context(), upgrade, t.Output()))
		t.Logf("helm upgrade --install from the bundle: %.0f s until every workload was ready", time.Since(begun).Seconds())
	}))
	e.mapper.Reset()
	e.run(t, "pulled from the loaded place", func(t *testing.T) { gap.pulledFrom(t, behindGap) })
	e.run(t, "application", e.application)
	e.run(t, "helm test", func(t *testing.T) { e.beginHelmTest(t, install.Namespace)(t) })
	e.run(t, "gap to the end", gap.verify)
}

// carried bundles the chart, its values and the images that the private registry has, loads the archive to behindGap, and verifies each blob there. It
// returns the folder with the results of load in "behind".
func (e *environment) carried(t *testing.T) string {
	t.Helper()
	folder, chart := t.TempDir(), filepath.Join(e.local.Root, "charts", "gitops-runtime")
	program := filepath.Join(folder, "image-override")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-C", e.local.Root, "-o", program, "./imageoverride/cmd/image-override").CombinedOutput()
	require.NoError(t, err, string(out))
	run := func(code int, args ...string) string {
		begun := time.Now()
		command := exec.CommandContext(t.Context(), program, args...)
		command.Dir = folder
		out, _ := command.CombinedOutput() // the exit code says whether it failed
		require.Equal(t, code, command.ProcessState.ExitCode(), "image-override %v: %s", args, out)
		t.Logf("image-override %s: %.0f s", args[0], time.Since(begun).Seconds())
		return string(out)
	}
	var values []string
	for _, file := range e.ready.ValueFiles {
		values = append(values, "-f", file)
	}
	reach := install.RegistryInCluster + "=" + install.RegistryOnHost

	run(0, append([]string{"generate", chart, "--registry", behindGap, "-o", "outside"}, values...)...)
	absent := e.dropAbsent(t, filepath.Join(folder, "outside", "image-mirror.csv"))
	run(0, append([]string{"bundle", "outside/image-mirror.csv", "--chart", chart, "-o", "bundle", "--archive", "bundle.tar", "--reach", reach}, values...)...)
	require.NoError(t, os.RemoveAll(filepath.Join(folder, "bundle")))
	require.NoError(t, os.RemoveAll(filepath.Join(folder, "outside")))

	code := 0
	if len(absent) > 0 {
		code = 3
	}
	said := run(code, "load", "bundle.tar", "--registry", behindGap, "-o", "behind", "--reach", reach)
	var named []string
	for line := range strings.Lines(said) {
		if source, found := strings.CutPrefix(strings.TrimSpace(line), "not in the bundle: "); found {
			named = append(named, source)
		}
	}
	assert.ElementsMatch(t, absent, named)
	require.Contains(t, said, "proved by rendering")
	e.dropAbsent(t, filepath.Join(folder, "behind", "image-mirror.csv"))
	require.Contains(t, run(0, "verify-mirror", "behind/image-mirror.csv", "--lock", "behind/image-lock.json", "--read", "--reach", reach), ", 0 wrong")
	return folder
}

// dropAbsent removes the images that the private registry lacks from a mirror table, and returns them: the chart only names them for workflows of users,
// and no test runs them.
func (e *environment) dropAbsent(t *testing.T, table string) []string {
	t.Helper()
	var absent []string
	text, err := os.ReadFile(table)
	require.NoError(t, err)
	rows := strings.Split(strings.TrimSpace(string(text)), "\n")
	kept := slices.DeleteFunc(rows[1:], func(row string) bool {
		source, _, _ := strings.Cut(row, ",")
		_, available := e.ready.Origins[source]
		if !available {
			absent = append(absent, source)
		}
		return !available
	})
	require.NotEmpty(t, kept)
	require.NoError(t, os.WriteFile(table, []byte(rows[0]+"\n"+strings.Join(kept, "\n")+"\n"), 0o600))
	return absent
}
