package previewcmd_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/testkit"
)

// The values files of a revision of Git are those before.
func TestBeforeRef(t *testing.T) {
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "chart/Chart.yaml", "apiVersion: v2\nname: demo\nversion: 1.0.0\n")
	testkit.WriteFile(t, "chart/templates/a.yaml", "kind: ConfigMap\nmetadata: {name: a}\ndata: {a: {{ .Values.a | quote }}, b: {{ .Values.b | quote }}, c: {{ .Values.c | quote }}}\n")
	testkit.WriteFile(t, "common.yaml", "a: 1\nb: 1\n")
	testkit.WriteFile(t, "clusters/prod.yaml", "b: 2\n")
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", "a"}} {
		out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	testkit.WriteFile(t, "clusters/prod.yaml", "b: 3\n")
	common := []string{"-n", "codefresh", "--no-cluster", "--chart", "chart", "-f", "common.yaml", "-f", "clusters/prod.yaml", "--set", "c=4"}
	code, out := runPreview(t, nil, append(common, "--before-ref", "HEAD")...)
	require.Equal(t, 0, code, out)
	assert.Contains(t, out, "What changes: 1 changed\n  others\n  changed      ConfigMap/a\n                data.b: 2 -> 3  by b (clusters/prod.yaml:1:1)\n\n")

	testkit.WriteFile(t, "new.yaml", "a: 1\n")
	for refused, want := range map[string]string{
		"HEAD":   "validate-values: git has no file new.yaml in the revision HEAD\n",
		"absent": "validate-values: git has no file common.yaml in the revision absent\n",
		"--all":  "validate-values: --before-ref takes a revision of Git, such as origin/main, and excludes --before-values and --before-set\n",
	} {
		code, out := runPreview(t, nil, append(common, "-f", "new.yaml", "--before-ref", refused)...)
		assert.Equal(t, 2, code)
		assert.Equal(t, want, out)
	}
}
