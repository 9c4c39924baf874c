package overridecmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/overridecmd"
	"gitops-runtime/internal/registry/registrytest"
	"gitops-runtime/internal/testkit"
)

// TestBundleAndLoad: a chart, its values and its images cross a gap in one file, which is the same each time; the values and the lock behind the gap are
// those of the registry there.
func TestBundleAndLoad(t *testing.T) {
	from, to := registrytest.Start(t), registrytest.Start(t)
	for _, name := range []string{"app", "sidecar"} {
		registrytest.Push(t, from.Name+"/team/"+name+":v1", registrytest.List(t, name, 0))
	}
	chart := oneTemplate(t, "image: "+from.Name+"/team/app:v1\nsidecar: ''\n", "kind: Pod\nmetadata: {name: app}\nspec:\n  containers:\n  - {image: '{{ .Values.image }}'}\n{{ with .Values.sidecar }}  - {image: '{{ . }}'}\n{{ end }}", nil)
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	testkit.WriteFile(t, in("my.yaml"), "sidecar: "+from.Name+"/team/sidecar:v1\n")
	require.Equal(t, overridecmd.ExitOK, run(t, "generate", chart, "--registry", "outside.corp", "-f", in("my.yaml"), "-o", in("out")).code)

	for _, name := range []string{"one", "two"} {
		got := run(t, "bundle", in("out/image-mirror.csv"), "--chart", chart, "-f", in("my.yaml"), "-o", in(name), "--archive", in(name+".tar"))
		require.Equal(t, overridecmd.ExitOK, got.code, got.err)
		require.Contains(t, got.out, "2 images in "+in(name+".tar")+"; every blob was read again and has its digest\n")
	}
	one, err := os.ReadFile(in("one.tar"))
	require.NoError(t, err)
	two, err := os.ReadFile(in("two.tar"))
	require.NoError(t, err)
	require.Equal(t, one, two)

	from.Lose()
	got := run(t, "load", in("one.tar"), "--registry", to.Name+"/inside", "-o", in("behind"))
	require.Equal(t, overridecmd.ExitOK, got.code, got.out+got.err)
	require.Contains(t, got.out, "proved by rendering")
	values, err := os.ReadFile(in("behind/values-images-no-tags.yaml"))
	require.NoError(t, err)
	prefix := to.Name + "/inside/" + strings.ReplaceAll(from.Name, ":", "-") + "/team/"
	require.Contains(t, string(values), "image: \""+prefix+"app:v1\"\nsidecar: \""+prefix+"sidecar:v1\"\n")
	got = run(t, "verify-mirror", in("behind/image-mirror.csv"), "--lock", in("behind/image-lock.json"), "--read")
	require.Equal(t, overridecmd.ExitOK, got.code, got.out+got.err)
	require.Contains(t, got.out, "2 images checked, 0 wrong")

	testkit.WriteFile(t, in("other.tar"), "no archive")
	got = run(t, "load", in("other.tar"), "--registry", to.Name, "-o", in("other"))
	require.Equal(t, overridecmd.ExitFailure, got.code)
	require.Contains(t, got.err, "other.tar is not a bundle")
	got = run(t, "load", folder, "--registry", to.Name, "-o", in("other"))
	require.Equal(t, overridecmd.ExitFailure, got.code)
	require.Contains(t, got.err, "it is a folder that `image-override bundle` finished")
}
