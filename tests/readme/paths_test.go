package readme_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/readme"
)

// Patterns of links, code spans, headings and make targets in Markdown pages.
var (
	fenced    = regexp.MustCompile("(?ms)^```.*?^```$")
	linked    = regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)\s]*))?\)`)
	runs      = regexp.MustCompile(`^make ([a-z][a-z0-9-]*)`)
	heading   = regexp.MustCompile(`(?m)^#+ (.*)$`)
	marked    = regexp.MustCompile(`<a id="([^"]*)">`)
	spanned   = regexp.MustCompile("`([^`\n]+)`")
	pathlike  = regexp.MustCompile(`^[\w.<>*-]+(/[\w.<>*-]+)+/?$`)
	version   = regexp.MustCompile(`/v\d+$`)
	uppercase = regexp.MustCompile(`^[A-Z]`)
	anything  = regexp.MustCompile(`<[^>]*>`)
)

// ignored matches folders of a checkout that Git ignores.
var ignored = regexp.MustCompile(`^(\.cache|bin|out)(/|$)`)

// TestPathsExist tests that every path in a page exists, relative to the page or to the root. A part in angle brackets matches any name.
func TestPathsExist(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	for _, page := range pages(t, root) {
		text, err := os.ReadFile(filepath.Join(root, page))
		require.NoError(t, err)
		assert.Empty(t, missing(root, page, string(text)), page)
	}
}

func TestMissing(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	text := "# Own page\n[a](../README.md#try-it-without-a-cluster) [d](../README.md#gone) [e](#own-page) [f](#other) [b](https://example.com) [c](gone.md)\n`tests/readme` `tests/<any>/readme.go` `tests/gone/x.go` `quay.io/a/b:1` `bin/helm` `gone/*.go` `Deployment/any` `make test` `make test-browser` `make gone X=1`\n" +
		"```\n`tests/fenced`\n```\n"
	assert.Equal(t, []string{"../README.md#gone", "#other", "gone.md", "tests/gone/x.go", "gone/*.go", "make gone X=1"}, missing(root, "docs/page.md", text))
}

func pages(t *testing.T, root string) []string {
	t.Helper()
	found := []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "tests/e2e/README.md", "validator/README.md", "imageoverride/README.md", "schema/README.md", "docs/examples/README.md", "tests/contract/README.md"}
	charts, err := filepath.Glob(filepath.Join(root, "charts", "*", "README.md"))
	require.NoError(t, err)
	for _, page := range charts {
		path, err := filepath.Rel(root, page)
		require.NoError(t, err)
		found = append(found, path)
	}
	require.NoError(t, fs.WalkDir(os.DirFS(root), "docs", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".md" {
			found = append(found, path)
		}
		return err
	}))
	return found
}

// missing returns the paths, headings and make targets in a page's text that do not exist.
func missing(root, page, text string) []string {
	text = fenced.ReplaceAllString(text, "")
	var notFound []string
	for _, link := range linked.FindAllStringSubmatch(text, -1) {
		target := filepath.Join(root, filepath.Dir(page), link[1])
		if strings.Contains(link[1], ":") {
			continue
		}
		switch {
		case link[1] != "" && !exists(target):
			notFound = append(notFound, link[1])
		case link[1] == "" && link[2] != "" && !anchored(text, link[2]), link[1] != "" && link[2] != "" && !anchoredIn(target, link[2]):
			notFound = append(notFound, link[1]+"#"+link[2])
		}
	}
	for _, span := range spanned.FindAllStringSubmatch(text, -1) {
		if target := runs.FindStringSubmatch(span[1]); target != nil && !isTarget(root, target[1]) {
			notFound = append(notFound, span[1])
		}
		path := strings.TrimPrefix(span[1], "./")
		if !pathlike.MatchString(path) || ignored.MatchString(path) || elsewhere(path) {
			continue
		}
		if !exists(filepath.Join(root, path)) && !exists(filepath.Join(root, filepath.Dir(page), path)) {
			notFound = append(notFound, path)
		}
	}
	return notFound
}

// isTarget reports whether the Makefile, or a file that it includes, has a target.
func isTarget(root, name string) bool {
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		return false
	}
	for _, line := range regexp.MustCompile(`(?m)^include (.*)$`).FindAllSubmatch(text, -1) {
		for _, file := range strings.Fields(string(line[1])) {
			included, err := os.ReadFile(filepath.Join(root, file))
			if err != nil {
				return false
			}
			text = append(append(text, '\n'), included...)
		}
	}
	return regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + `:`).Match(text)
}

// anchoredIn reports whether a page has a heading with GitHub's anchor.
func anchoredIn(page, anchor string) bool {
	text, err := os.ReadFile(page)
	return err == nil && anchored(string(text), anchor)
}

func anchored(text, anchor string) bool {
	for _, found := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		if readme.Slug(found[1]) == anchor {
			return true
		}
	}
	return slices.ContainsFunc(marked.FindAllStringSubmatch(text, -1), func(found []string) bool { return found[1] == anchor })
}

// elsewhere reports whether a span is an object, an image, a module, a MIME type or an API group rather than a path of the repository.
func elsewhere(span string) bool {
	first, _, _ := strings.Cut(span, "/")
	return uppercase.MatchString(first) || strings.Contains(first, ".") && !strings.HasPrefix(first, ".") || version.MatchString(span)
}

// exists reports whether a path exists; parts in angle brackets and stars match any name.
func exists(path string) bool {
	found, err := filepath.Glob(anything.ReplaceAllString(path, "*"))
	return err == nil && len(found) > 0
}
