package overridecmd_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/overridecmd"
)

// The whole program ends within its time, with an exit code of its own and clean output, whatever is in a chart, in values and in earlier output.
func FuzzProgram(f *testing.F) {
	const pod = "kind: Pod\napiVersion: v1\nmetadata: {name: p}\nspec: {containers: [{name: c, image: \"{{ .Values.image }}\"}]}\n"
	f.Add(pod, "image: quay.io/a/b:1\n", "image: reg.corp/c:2\n", "source_image,target_image\nquay.io/a/b:1,reg.corp/quay.io/a/b:1\n", "image: old\n")
	f.Add("a: &a x\nb: [*a]\n---\n", "a: [\n", "? {a: b}\n: c\n", "a,b,c\n", "- 1\n")
	f.Add("{{ include \"a\" . }}{{ define \"a\" }}\x1b[31m{{ fromYaml .Values.a }}{{ end }}", "a: \"&a [*a]\"\n", "", "", "")
	f.Fuzz(func(t *testing.T, template, values, user, table, earlier string) {
		folder := t.TempDir()
		for name, text := range map[string]string{
			"chart/Chart.yaml": "apiVersion: v2\nname: fuzz\nversion: 0.1.0\n", "chart/templates/t.yaml": template, "chart/values.yaml": values, "user.yaml": user,
			"out/image-mirror.csv": table, "out/values-images-no-tags.yaml": earlier,
		} {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		var out bytes.Buffer
		code := overridecmd.Run(ctx, []string{
			"generate", filepath.Join(folder, "chart"), "--registry", "reg.corp", "-f", filepath.Join(folder, "user.yaml"), "-o", filepath.Join(folder, "out"), "--render-time", "2s",
		}, overridecmd.Streams{Out: &out, Err: &out})
		require.NoError(t, ctx.Err(), "no end")
		assert.True(t, code >= 0 && code <= 3, "exit code %d", code)
		assert.NotContains(t, out.String(), "\x1b", "an escape character")
		assert.NotContains(t, out.String(), "which is a bug")
	})
}
