package chartpack_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/hack/release/address"
	"gitops-runtime/hack/release/chartpack"
	"gitops-runtime/internal/gomodule"
)

// commit is the revision of published charts.
const commit = "0123456789abcdef0123456789abcdef01234567"

// published returns the place of a publisher with a repository, or of one without.
func published(t *testing.T, repository string) chartpack.Place {
	t.Helper()
	root, err := gomodule.Root()
	require.NoError(t, err)
	of, err := address.Read(root)
	require.NoError(t, err)
	of.Repository = repository
	return chartpack.Place{
		Registry: "ghcr.io/team", Digests: map[string]string{"gitops-runtime-installer": "sha256:" + strings.Repeat("1", 64), "validate-values": "sha256:" + strings.Repeat("2", 64)}, Address: of, Revision: commit,
	}
}

func unpack(t *testing.T, packed []byte) map[string]string {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	found := map[string]string{}
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if err == io.EOF {
			return found
		}
		require.NoError(t, err)
		require.Zero(t, header.ModTime.Unix(), header.Name)
		text, err := io.ReadAll(files)
		require.NoError(t, err)
		require.NotContains(t, found, header.Name, "the archive contains the file twice")
		found[header.Name] = string(text)
	}
}

func TestTheUmbrellaRefersToPublishedArtifacts(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	folder, place := filepath.Join(root, "charts", "gitops-runtime"), published(t, "https://git.example.com/team/repo")
	packed, err := chartpack.Pack(t.Context(), folder, place)
	require.NoError(t, err)
	again, err := chartpack.Pack(t.Context(), folder, place)
	require.NoError(t, err)
	require.Equal(t, packed.Content, again.Content, "the same input produces other bytes")
	require.Equal(t, []string{"gitops-runtime-installer", "validate-values"}, packed.Named)

	files := unpack(t, packed.Content)
	var values struct {
		Installer struct {
			Image struct{ Registry, Repository, Tag, Digest string }
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(files["gitops-runtime/values.yaml"]), &values))
	require.Equal(t, "ghcr.io/team/gitops-runtime-installer", values.Installer.Image.Repository)
	require.Equal(t, place.Digests["gitops-runtime-installer"], values.Installer.Image.Digest)
	require.Empty(t, values.Installer.Image.Registry)

	require.NotContains(t, files, "gitops-runtime/Chart.lock")
	require.Contains(t, files, "gitops-runtime/charts/argo-cd/Chart.yaml")
	require.Contains(t, files, "gitops-runtime/charts/argo-cd/charts/common/Chart.yaml")
	require.Contains(t, files, "gitops-runtime/values.schema.json")
	for name, text := range files {
		require.NotContains(t, text, place.Address.Images()+"/gitops-runtime-installer:", name)
		if filepath.Base(name) == "Chart.yaml" {
			require.NotContains(t, text, "file://", name)
		}
		if filepath.Ext(name) == ".md" {
			require.NotContains(t, text, place.Address.ShownRegistry(), name)
		}
	}
	require.Contains(t, files["gitops-runtime/README.md"], "oci://ghcr.io/team/gitops-runtime --version ")
	require.Contains(t, packed.Metadata.Annotations["artifacthub.io/images"], "image: ghcr.io/team/gitops-runtime-installer:"+packed.Metadata.Version+"@sha256:1111")
	require.Contains(t, packed.Metadata.Annotations["artifacthub.io/images"], "image: quay.io/argoproj/argocd:", "third-party images are changed")
	for _, dependency := range packed.Metadata.Dependencies {
		require.Equal(t, "oci://ghcr.io/team", dependency.Repository, dependency.Name)
	}
	named, err := chartpack.Named([]byte(files["gitops-runtime/values.yaml"]))
	require.NoError(t, err)
	require.Contains(t, named, chartpack.Image{Repository: "ghcr.io/team/gitops-runtime-installer", Digest: place.Digests["gitops-runtime-installer"]})
}

func TestErrors(t *testing.T) {
	_, err := chartpack.Pack(t.Context(), filepath.Join(t.TempDir(), "absent"), chartpack.Place{})
	require.ErrorContains(t, err, "cannot be read: no such file")
	_, err = chartpack.Named([]byte("a: b: c"))
	require.ErrorContains(t, err, "values: ")
}
