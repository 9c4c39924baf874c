package address_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/hack/release/address"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/testkit"
)

// acme is the address of a fork.
func acme() address.Address {
	return address.Address{
		Module: "git.example.com/acme/runtime", Repository: "https://git.example.com/acme/runtime", Registry: "ghcr.io/acme/runtime",
		Maintainers: []address.Maintainer{{Name: "Ada", Email: "ada@example.com"}}, Icon: "https://example.com/icon.svg",
	}
}

// clone is a clone with these files, in Git's index.
func clone(t *testing.T, files map[string]string) string {
	t.Helper()
	root := testkit.Folder(t, files)
	for _, arguments := range [][]string{{"init", "-q"}, {"add", "-A"}} {
		out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", root}, arguments...)...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	return root
}

// tree returns the files of a clone.
func tree(t *testing.T, root string, names ...string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		found[name] = string(text)
	}
	return found
}

func TestSet(t *testing.T) {
	before := map[string]string{
		"go.mod":           "module initial\n\nrequire example.com/initial v1.0.0\n",
		"tests/e2e/go.mod": "module initial/tests/e2e\n\nrequire initial v0.0.0\n\nreplace initial => ../..\n",
		"a.go":             "package a\n\nimport (\n\t_ \"initial/charts\"\n\t_ \"initial/internal/a\"\n)\n\nconst path = \"initial/charts/argo-cd/Chart.yaml\"\n",
		"page.md":          "`oci://registry.example.com/gitops/argo-cd` registry.example.com/gitops-other https://github.com/<owner>/<repository>/issues\ninitial/charts\n",
		"image.png":        "registry.example.com/gitops",
		address.File:       "module: initial\n",
	}
	after := map[string]string{
		"go.mod":           "module git.example.com/acme/runtime\n\nrequire example.com/initial v1.0.0\n",
		"tests/e2e/go.mod": "module git.example.com/acme/runtime/tests/e2e\n\nrequire git.example.com/acme/runtime v0.0.0\n\nreplace git.example.com/acme/runtime => ../..\n",
		"a.go":             "package a\n\nimport (\n\t_ \"git.example.com/acme/runtime/charts\"\n\t_ \"git.example.com/acme/runtime/internal/a\"\n)\n\nconst path = \"initial/charts/argo-cd/Chart.yaml\"\n",
		"page.md":          "`oci://ghcr.io/acme/runtime/argo-cd` registry.example.com/gitops-other https://git.example.com/acme/runtime/issues\ninitial/charts\n",
		"image.png":        "registry.example.com/gitops",
	}
	root := clone(t, before)
	changed, err := address.Set(t.Context(), root, acme())
	require.NoError(t, err)
	assert.Equal(t, []string{"a.go", "go.mod", "page.md", "tests/e2e/go.mod", address.File}, changed)
	assert.Equal(t, after, tree(t, root, "go.mod", "tests/e2e/go.mod", "a.go", "page.md", "image.png"))
	read, err := address.Read(root)
	require.NoError(t, err)
	assert.Equal(t, acme(), read)

	changed, err = address.Set(t.Context(), root, acme())
	require.NoError(t, err)
	assert.Empty(t, changed, "the second run")

	_, err = address.Set(t.Context(), root, address.Address{Module: "initial"})
	require.NoError(t, err)
	delete(before, address.File)
	assert.Equal(t, before, tree(t, root, "go.mod", "tests/e2e/go.mod", "a.go", "page.md", "image.png"), "the way back")
}

func TestCheck(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*address.Address)
		want   string
	}{
		"complete":     {func(*address.Address) {}, ""},
		"no module":    {func(a *address.Address) { a.Module = "" }, "module: malformed import path"},
		"repository":   {func(a *address.Address) { a.Repository = "git@example.com:a/b" }, `repository: "git@example.com:a/b" is not a URL: write https://host/path`},
		"credentials":  {func(a *address.Address) { a.Repository = "https://u:p@example.com/a" }, "repository: "},
		"registry":     {func(a *address.Address) { a.Registry = "https://ghcr.io/a" }, `registry: "https://ghcr.io/a" is not a place in a registry: write host/path, such as ghcr.io/my-team or localhost:5000/runtime`},
		"host only":    {func(a *address.Address) { a.Registry = "ghcr.io" }, `registry: "ghcr.io" is not a place`},
		"support":      {func(a *address.Address) { a.Support = "ask us" }, `support: "ask us" is neither a URL nor an e-mail address`},
		"e-mail":       {func(a *address.Address) { a.Support = "help@example.com" }, ""},
		"nobody":       {func(a *address.Address) { a.Maintainers[0].Name = "" }, "maintainers: one has no name"},
		"wrong e-mail": {func(a *address.Address) { a.Maintainers[0].Email = "Ada" }, `maintainers: the email or url of "Ada" is invalid`},
		"icon":         {func(a *address.Address) { a.Icon = "icon.svg" }, `icon: "icon.svg" is not a URL: write https://host/path`},
	} {
		t.Run(name, func(t *testing.T) {
			a := acme()
			test.change(&a)
			if test.want == "" {
				assert.NoError(t, a.Check())
				return
			}
			assert.ErrorContains(t, a.Check(), test.want)
		})
	}
}

func TestLinks(t *testing.T) {
	a := acme()
	assert.Equal(t, "https://git.example.com/acme/runtime/blob/abc/docs/values.md", a.Page("abc", "docs/values.md"))
	assert.Equal(t, "https://git.example.com/acme/runtime/issues", a.SupportLink())
	assert.Equal(t, "https://git.example.com/acme/runtime/security/advisories/new", a.SecurityLink())
	a.Support, a.Security = "help@example.com", "https://example.com/security"
	assert.Equal(t, "mailto:help@example.com", a.SupportLink())
	assert.Equal(t, "https://example.com/security", a.SecurityLink())
	var unset address.Address
	assert.Empty(t, unset.Page("abc", "docs/values.md")+unset.SupportLink()+unset.SecurityLink())
}

// foreign are names of other projects in place of which an address of this product has to stand: the repository of the published chart, and images of
// this product at its registry.
var foreign = []string{"codefresh-io/gitops-runtime-helm", "quay.io/codefresh/gitops-runtime-installer", "quay.io/codefresh/image-override", "quay.io/codefresh/gitops-runtime:"}

// facts are the files that state facts about the published chart, by prefix of their path.
var facts = []string{
	"tests/contract/", "tests/compat/facts/", "tests/published/", "docs/differences.md",
	"hack/release/address/address_test.go", "tests/render/published_readme_test.go",
	"charts/gitops-runtime/templates/app-proxy/app-proxy.yaml", "charts/gitops-runtime/values-restricted.yaml", // commits of the published chart, as sources
}

// No file states the address of another project as if it were this product's.
func TestNoForeignNames(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	list, err := exec.CommandContext(t.Context(), "git", "-C", root, "ls-files", "-z").Output()
	require.NoError(t, err)
	read := 0
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
		read++
		for _, of := range foreign {
			if !strings.Contains(string(text), of) {
				continue
			}
			about := false
			for _, prefix := range facts {
				about = about || strings.HasPrefix(name, prefix)
			}
			assert.True(t, about, "%s names %s; the address of the product comes from %s", name, of, address.File)
		}
		if filepath.Base(name) == "Chart.yaml" && strings.HasPrefix(name, "charts/") {
			assert.NotRegexp(t, `(?m)^(maintainers:|  artifacthub.io/links:)|^(home|icon): .*codefresh`, string(text), "%s: a chart gets its address when it is published", name)
		}
	}
	assert.Greater(t, read, 1000)
}
