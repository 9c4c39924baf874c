package version_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/hack/release/address"
	"gitops-runtime/hack/release/version"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/testkit"
)

// Every chart has the version in the file VERSION, and depends on the other charts with this version.
func TestTheTreeHasOneVersion(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	want, err := version.Read(root)
	require.NoError(t, err)
	files, err := version.Generate(root)
	require.NoError(t, err)
	charts := 0
	for path, text := range files {
		have, err := os.ReadFile(filepath.Join(root, path))
		require.NoError(t, err)
		require.Equal(t, string(text), string(have), "%s does not have the version of %s; run make generate", path, version.File)
		if filepath.Base(path) != "Chart.yaml" || !strings.HasPrefix(path, "charts"+string(filepath.Separator)) {
			continue
		}
		charts++
		var chart struct {
			Version, AppVersion string
			Dependencies        []struct{ Name, Version string }
		}
		require.NoError(t, yaml.Unmarshal(have, &chart))
		require.Equal(t, want, chart.Version, path)
		for _, dependency := range chart.Dependencies {
			require.Equal(t, want, dependency.Version, "%s: %s", path, dependency.Name)
		}
		if slices.Contains(version.OwnImages(), filepath.Base(filepath.Dir(path))) {
			require.Equal(t, want, chart.AppVersion)
			require.Regexp(t, regexp.MustCompile(`/gitops-runtime-installer:`+regexp.QuoteMeta(want)+`\n`), string(have))
		}
	}
	require.Equal(t, 10, charts)
	for _, page := range []string{"README.md", "docs/upgrade-and-migration.md", "charts/tunnel-server/docs/about.gotmpl"} {
		require.Contains(t, string(files[filepath.FromSlash(page)]), " --version "+want)
	}
}

func TestStampPage(t *testing.T) {
	page := "$ helm upgrade a oci://registry.example.com/gitops/tunnel-server --version 0.9.0-rc.1 -n b\n    targetRevision: 0.9.0\nhelm pull oci://example.com/a --version 0.9.0\n"
	require.Equal(t, "    tag: 1.2.3 # version of the chart\n  version = \"1.2.3\" # version of the chart\n  version: 0.9.0\n",
		string(version.StampPage([]byte("    tag: 0.9.0 # version of the chart\n  version = \"0.9.0\" # version of the chart\n  version: 0.9.0\n"), "1.2.3", address.Address{Module: "gitops-runtime"})))
	require.Equal(t, "$ helm upgrade a oci://registry.example.com/gitops/tunnel-server --version 1.2.3 -n b\n    targetRevision: 1.2.3\nhelm pull oci://example.com/a --version 0.9.0\n",
		string(version.StampPage([]byte(page), "1.2.3", address.Address{Module: "gitops-runtime"})))
}

func TestStampPageOfAFork(t *testing.T) {
	fork := address.Address{Module: "example.com/acme/runtime", Registry: "ghcr.io/acme"}
	for before, want := range map[string]string{
		"a oci://ghcr.io/acme/argo-cd --version 0.9.0\n":               "a oci://ghcr.io/acme/argo-cd --version 1.2.3\n",
		"$ go install initial/validator/cmd/validate-values\n":         "$ go install example.com/acme/runtime/validator/cmd/validate-values@v1.2.3\n",
		"$ go install a.b/c/imageoverride/cmd/image-override@v0.9.0\n": "$ go install example.com/acme/runtime/imageoverride/cmd/image-override@v1.2.3\n",
		"$ go install example.com/other/cmd/tool@v0.9.0\n":             "$ go install example.com/other/cmd/tool@v0.9.0\n",
	} {
		require.Equal(t, want, string(version.StampPage([]byte(before), "1.2.3", fork)))
	}
	require.Equal(t, "$ go install initial/validator/cmd/validate-values\n",
		string(version.StampPage([]byte("$ go install a.b/c/validator/cmd/validate-values@v1.0.0\n"), "1.2.3", address.Address{Module: "initial"})), "Go finds no such module")
}

func TestStampValues(t *testing.T) {
	require.Equal(t, "installer:\n  image:\n    # -- Repository\n    repository: ghcr.io/acme/gitops-runtime-installer\nother:\n    repository: quay.io/a/b\n",
		string(version.StampValues([]byte("installer:\n  image:\n    # -- Repository\n    repository: address-not-set.invalid/gitops-runtime-installer\nother:\n    repository: quay.io/a/b\n"), "ghcr.io/acme")))
}

func TestStamp(t *testing.T) {
	chart := `name: gitops-runtime
version: 0.9.0
appVersion: 0.9.0
annotations:
  artifacthub.io/images: |
    - name: gitops-runtime-installer
      image: address-not-set.invalid/gitops-runtime-installer:0.9.0
    - name: redis
      image: public.ecr.aws/docker/library/redis:8.2.10-alpine
dependencies:
  - name: common
    version: 0.9.0
    repository: file://../common
  - name: foreign
    version: 0.9.0
    repository: https://charts.example.com
`
	require.Equal(t, `name: gitops-runtime
version: 1.2.3-rc.1
appVersion: 1.2.3-rc.1
annotations:
  artifacthub.io/images: |
    - name: gitops-runtime-installer
      image: ghcr.io/acme/gitops-runtime-installer:1.2.3-rc.1
    - name: redis
      image: public.ecr.aws/docker/library/redis:8.2.10-alpine
dependencies:
  - name: common
    version: 1.2.3-rc.1
    repository: file://../common
  - name: foreign
    version: 0.9.0
    repository: https://charts.example.com
`, string(version.Stamp("gitops-runtime", []byte(chart), "1.2.3-rc.1", "ghcr.io/acme")))
	require.Equal(t, "version: 2.0.0\nappVersion: v3.4.13\n", string(version.Stamp("argo-cd", []byte("version: 1.0.0\nappVersion: v3.4.13\n"), "2.0.0", "ghcr.io/acme")))
}

func TestRead(t *testing.T) {
	root := t.TempDir()
	_, err := version.Read(root)
	require.ErrorContains(t, err, "read the version: ")
	for text, message := range map[string]string{"1.2.3\n": "", "v1.2.3\n": `VERSION holds "v1.2.3"`, "1.2": `VERSION holds "1.2"`, "": `VERSION holds ""`} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "VERSION"), []byte(text), 0o600))
		read, err := version.Read(root)
		if message == "" {
			require.NoError(t, err)
			require.Equal(t, "1.2.3", read)
			continue
		}
		require.ErrorContains(t, err, message)
	}
}

func TestWriteStampsACheckout(t *testing.T) {
	const chart, plugin = "charts/common/Chart.yaml", "imageoverride/plugins/image-override/plugin.yaml"
	const before = "name: common\nversion: 1.0.0\n"
	root := testkit.Folder(t, map[string]string{"VERSION": "2.0.0\n", address.File: "module: gitops-runtime\n", "charts/gitops-runtime/values.yaml": "", "charts/managed-cluster/values.yaml": "", chart: before, plugin: before})
	require.NoError(t, version.Write(root))
	for _, path := range []string{chart, plugin} {
		text, err := os.ReadFile(filepath.Join(root, path))
		require.NoError(t, err)
		require.Equal(t, "name: common\nversion: 2.0.0\n", string(text))
	}
}
