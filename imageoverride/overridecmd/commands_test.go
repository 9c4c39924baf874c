package overridecmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"

	"gitops-runtime/imageoverride/overridecmd"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/registry/registrytest"
)

func TestMirrorCommands(t *testing.T) {
	from, to := registrytest.Start(t).Name, registrytest.Start(t).Name
	registrytest.Push(t, from+"/app:v1", empty.Image)
	folder := t.TempDir()
	table, lock := filepath.Join(folder, "m.csv"), filepath.Join(folder, "lock.json")
	require.NoError(t, os.WriteFile(table, []byte("source_image,target_image\n"+from+"/app:v1,"+to+"/x/app:v1\n"), 0o644))

	require.Equal(t, outcome{out: "1 images locked in " + lock + "\n"}, run(t, "lock", table, "-o", lock))
	require.Equal(t, outcome{
		code: overridecmd.ExitLeftOut, out: to + "/x/app:v1: the image is missing\n1 images checked, 1 wrong\n",
		err: "1 images of " + table + " are not in order; run mirror again\n",
	}, run(t, "verify-mirror", table, "--lock", lock))
	require.Equal(t, outcome{out: "[1/1] copied " + from + "/app:v1 -> " + to + "/x/app:v1\n"}, run(t, "mirror", table))
	require.FileExists(t, table+".journal")
	require.Equal(t, outcome{out: "[1/1] present " + from + "/app:v1 -> " + to + "/x/app:v1\n"}, run(t, "mirror", table))
	require.Equal(t, outcome{out: "1 images checked, 0 wrong\n"}, run(t, "verify-mirror", table))
	require.Equal(t, outcome{out: folder + "/mirror-crane.sh\n"}, run(t, "export", table, "--format", "crane", "-o", folder))

	require.Equal(t, outcome{code: overridecmd.ExitUsage, err: "Error: --jobs 0: write a number of at least 1\n"}, run(t, "mirror", table, "--jobs", "0"))
	require.Equal(t, outcome{code: overridecmd.ExitUsage, err: "Error: --reach \"a\": write host=host\n"}, run(t, "mirror", table, "--reach", "a"))
	require.Equal(t, outcome{code: overridecmd.ExitFailure, err: "Error: mirror table absent.csv: no such file; it is a file that generate writes\n"}, run(t, "mirror", "absent.csv"))
	require.Equal(t, outcome{code: overridecmd.ExitFailure, err: "Error: --ca-file " + table + " contains no certificate in PEM format\n"}, run(t, "mirror", table, "--ca-file", table))
	require.Equal(t, outcome{code: overridecmd.ExitFailure, err: "Error: --lock " + table + " is not a lock file: invalid character 's' looking for beginning of value; `image-override lock` writes one\n"}, run(t, "verify-mirror", table, "--lock", table))
	require.Equal(t, outcome{code: overridecmd.ExitUsage, err: "Error: --format \"x\" is unknown; choose one of annotations, crane, hosts, regsync, skopeo\n"}, run(t, "export", table, "--format", "x"))
}

// Every command that contacts a registry can use registries whose certificates a private authority signed, but only if a flag names the authority.
func TestPrivateAuthority(t *testing.T) {
	from, to := registrytest.StartTLS(t), registrytest.StartTLS(t)
	folder := t.TempDir()
	var authorities []byte
	for _, one := range []*registrytest.Registry{from, to} {
		data, err := os.ReadFile(one.CAFile)
		require.NoError(t, err)
		authorities = append(authorities, data...)
	}
	ca, table := filepath.Join(folder, "ca.pem"), filepath.Join(folder, "m.csv")
	require.NoError(t, os.WriteFile(ca, authorities, 0o600))
	require.NoError(t, os.WriteFile(table, []byte("source_image,target_image\n"+from.Name+"/app:v1,"+to.Name+"/app:v1\n"), 0o600))
	registrytest.Push(t, from.Name+"/app:v1", registrytest.List(t, "app", 0), from.Trusting(t))
	styles, err := helmchart.Load(t.Context(), helmchart.Source{Name: "../testdata/styles"})
	require.NoError(t, err)
	path, err := chartutil.Save(styles, folder)
	require.NoError(t, err)
	archive, err := os.ReadFile(path)
	require.NoError(t, err)
	registrytest.Push(t, from.Name+"/charts/styles:1.0.0", registrytest.Chart(t, archive, registrytest.ChartLayer), from.Trusting(t))
	chart := "oci://" + from.Name + "/charts/styles"

	const distrust = " is not trusted (certificate signed by unknown authority); set its certificate authority with --ca-file\n"
	for _, c := range []struct {
		args      []string
		out, fail string
	}{
		{[]string{"lock", table, "-o", filepath.Join(folder, "lock.json")}, "1 images locked in " + filepath.Join(folder, "lock.json") + "\n", "read " + from.Name + "/app:v1 failed"},
		{[]string{"mirror", table}, "[1/1] copied " + from.Name + "/app:v1 -> " + to.Name + "/app:v1\n", "read " + from.Name + "/app:v1 failed"},
		{[]string{"verify-mirror", table}, "1 images checked, 0 wrong\n", "read " + from.Name + "/app:v1 failed"},
		{[]string{"list", chart, "--format", "csv"}, run(t, "list", "../testdata/styles", "--format", "csv").out, "list versions of " + from.Name + "/charts/styles failed"},
		{[]string{"verify", chart + ":1.0.0", "--registry", "reg.corp"}, "", "pull chart " + from.Name + "/charts/styles:1.0.0 failed"},
	} {
		got := run(t, c.args...)
		require.Equal(t, overridecmd.ExitFailure, got.code)
		require.Contains(t, got.err, "Error: "+c.fail)
		require.Contains(t, got.err, distrust)
		got = run(t, append(c.args, "--ca-file", ca)...)
		if c.out == "" {
			require.Equal(t, overridecmd.ExitLeftOut, got.code, got.err)
			continue
		}
		require.Equal(t, outcome{out: c.out}, got)
	}
}

func TestListAndWhy(t *testing.T) {
	chart := "../testdata/styles"
	require.Equal(t, outcome{out: `quay.io/styles/exporter:1
  in       Deployment/operator spec.template.spec.containers[1].image (scenario default)
  because  image field
  values   split.registry, split.tag
  template styles/templates/operator.yaml, line 18
`}, run(t, "why", chart, "exporter"))
	require.Equal(t, outcome{out: `quay.io/styles/backup:16
  in       Deployment/operator spec.template.spec.containers[0].args[0] (scenario default)
  because  flag
  values   operator.defaults.backup
  template styles/templates/operator.yaml, line 12
`}, run(t, "why", chart, "quay.io/styles/backup:16"))
	require.Equal(t, outcome{
		code: overridecmd.ExitFailure, err: "Error: chart ../testdata/styles renders no image mysql with these values; `image-override list ../testdata/styles` shows what it renders\n",
	}, run(t, "why", chart, "mysql"))

	listed := run(t, "list", chart, "--format", "csv", "--registry", "reg.corp")
	require.Equal(t, overridecmd.ExitOK, listed.code, listed.err)
	rows := strings.Split(strings.TrimSpace(listed.out), "\n")
	require.Len(t, rows, 10)
	require.Equal(t, "image,object,path,values,template,scenario,target", rows[0])
	require.Equal(t, "docker.io/bitnami/app:1.2.3-debian-12,Deployment/common,spec.template.spec.containers[0].image,common.image.registry common.image.repository common.image.tag,styles/templates/common.yaml,default,reg.corp/docker.io/bitnami/app:1.2.3-debian-12", rows[1])
	require.Contains(t, run(t, "list", chart).out, "IMAGE")
	require.Contains(t, run(t, "list", chart, "--format", "json").out, `"rule": "image field"`)
	require.Equal(t, outcome{code: overridecmd.ExitUsage, err: "Error: --format \"xml\" is unknown; choose table, json or csv\n"}, run(t, "list", chart, "--format", "xml"))
}

func TestHelpNamesEveryCommand(t *testing.T) {
	help := run(t, "--help")
	require.Equal(t, overridecmd.ExitOK, help.code)
	for _, command := range []string{"generate", "verify", "mirror", "verify-mirror", "lock", "list", "why", "export", "post-render"} {
		require.Contains(t, help.out, "\n  "+command+" ")
		require.Equal(t, overridecmd.ExitOK, run(t, command, "--help").code)
	}
	require.Equal(t, outcome{code: overridecmd.ExitUsage, err: "Error: unknown command \"generat\"; did you mean generate?; see image-override --help\n"}, run(t, "generat"))
	require.Equal(t, outcome{code: overridecmd.ExitUsage, err: "Error: unknown flag: --registyr; did you mean --registry?; see image-override generate --help\n"}, run(t, "generate", "--registyr", "r"))
}
