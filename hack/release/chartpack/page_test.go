package chartpack_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/hack/release/chartpack"
	"gitops-runtime/hack/release/publish"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/readme"
)

// Links in pages and metadata.
var (
	linked  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	anchor  = regexp.MustCompile(`<a id="([^"]*)">`)
	inside  = regexp.MustCompile(`oci://ghcr\.io/team/([a-z-]+)`)
)

// charts returns the packed files of every chart of the checkout by the path in its archive, and the names of the charts.
func charts(t *testing.T, repository string) (map[string]map[string]string, []string) {
	t.Helper()
	root, err := gomodule.Root()
	require.NoError(t, err)
	names, err := publish.Charts(root)
	require.NoError(t, err)
	all := map[string]map[string]string{}
	for _, name := range names {
		packed, err := chartpack.Pack(t.Context(), filepath.Join(root, "charts", name), published(t, repository))
		require.NoError(t, err)
		all[name] = unpack(t, packed.Content)
	}
	return all, names
}

// Every link of a published chart's pages and metadata to the publisher's repository leads to a file of the checkout, every anchor to a heading there,
// every command to a published chart; and nothing names the repository of another project.
func TestEveryLinkOfAPublishedChartLeadsSomewhere(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	const repository = "https://git.example.com/team/repo"
	all, names := charts(t, repository)
	followed, commands := 0, 0
	for chart, files := range all {
		for name, text := range files {
			if path.Base(name) == "Chart.yaml" {
				followed += follow(t, root, repository, chart+": "+name, linksOf(t, text))
			}
			if path.Ext(name) != ".md" {
				continue
			}
			var links []string
			for _, found := range linked.FindAllStringSubmatch(text, -1) {
				links = append(links, found[1])
			}
			followed += follow(t, root, repository, chart+": "+name, links)
			for _, found := range inside.FindAllStringSubmatch(text, -1) {
				assert.Contains(t, names, found[1], "%s: %s", chart, name)
				commands++
			}
			assert.NotContains(t, text, "registry.example.com/gitops", "%s: %s", chart, name)
		}
	}
	assert.Greater(t, followed, 60)
	assert.Greater(t, commands, 3)
}

// linksOf returns the URLs in a Chart.yaml.
func linksOf(t *testing.T, text string) []string {
	t.Helper()
	var metadata struct {
		Home        string
		Sources     []string
		Annotations map[string]string
	}
	require.NoError(t, yaml.Unmarshal([]byte(text), &metadata))
	var entries []struct{ URL string }
	require.NoError(t, yaml.Unmarshal([]byte(metadata.Annotations["artifacthub.io/links"]), &entries))
	links := append(metadata.Sources, metadata.Home)
	for _, entry := range entries {
		links = append(links, entry.URL)
	}
	return links
}

// follow follows the links to the repository, and returns how many there are. Links to other projects begin with https.
func follow(t *testing.T, root, repository, from string, links []string) int {
	t.Helper()
	count := 0
	for _, link := range links {
		target, ours := strings.CutPrefix(link, repository+"/blob/"+commit+"/")
		if !ours {
			assert.True(t, strings.HasPrefix(link, "https://") || strings.HasPrefix(link, "#"), "%s: %s is relative", from, link)
			continue
		}
		count++
		file, fragment, _ := strings.Cut(target, "#")
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if info, statErr := os.Stat(filepath.Join(root, filepath.FromSlash(file))); statErr == nil && info.IsDir() {
			continue
		}
		if assert.NoError(t, err, from) && fragment != "" {
			assert.Contains(t, anchors(string(text)), fragment, "%s: %s", from, link)
		}
	}
	return count
}

func anchors(text string) []string {
	var all []string
	for _, found := range heading.FindAllStringSubmatch(text, -1) {
		all = append(all, readme.Slug(found[1]))
	}
	for _, found := range anchor.FindAllStringSubmatch(text, -1) {
		all = append(all, found[1])
	}
	return all
}

// Without a repository, a published chart links to its own files and to other projects only, and its page says so; it has no home that is not known.
func TestAPublishedChartWithoutRepositoryHasNoOtherLinks(t *testing.T) {
	t.Parallel()
	all, _ := charts(t, "")
	for chart, files := range all {
		for name, text := range files {
			if path.Base(name) == "Chart.yaml" {
				for _, link := range linksOf(t, text) {
					assert.NotContains(t, link, "/blob/", "%s: %s", chart, name)
				}
				assert.NotContains(t, text, "artifacthub.io/links", "%s: %s", chart, name)
			}
			if path.Ext(name) != ".md" {
				continue
			}
			for _, found := range linked.FindAllStringSubmatch(text, -1) {
				file, _, _ := strings.Cut(found[1], "#")
				within := file == "" || files[path.Join(path.Dir(name), file)] != "" || hasFolder(files, path.Join(path.Dir(name), file))
				assert.True(t, strings.HasPrefix(found[1], "https://") || within, "%s: %s: %s", chart, name, found[1])
			}
		}
	}
	assert.Contains(t, all["gitops-runtime"]["gitops-runtime/README.md"], "The repository of this chart is not known here, so links to its other pages are left out.")
}

func hasFolder(files map[string]string, folder string) bool {
	for name := range files {
		if strings.HasPrefix(name, folder+"/") {
			return true
		}
	}
	return false
}
