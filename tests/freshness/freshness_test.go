package freshness_test

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
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/freshness"
)

// tree returns the files of the checkout by their paths, without generated and built files and test inputs.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		built := path == "bin" || path == "out" || path == ".git" || path == ".cache" || regexp.MustCompile(`^charts/[^/]+/charts$`).MatchString(path)
		if entry.IsDir() && (built || entry.Name() == "testdata" || entry.Name() == "node_modules") {
			return fs.SkipDir
		}
		if !entry.Type().IsRegular() || !slices.Contains([]string{".go", ".yaml", ".yml", ".mod", ".json"}, filepath.Ext(path)) || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/files/") {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		found[path] = string(text)
		return err
	}))
	return found
}

// image is an image that is pinned to a version, in a text.
var image = regexp.MustCompile(`["' ]((?:docker\.io|quay\.io|ghcr\.io|public\.ecr\.aws|registry\.k8s\.io)/[a-z0-9._/-]+):(v?[0-9][\w.-]*)["'\s]`)

// comment is a line of a Go file that names images as examples.
var comment = regexp.MustCompile(`(?m)^\s*// .*$`)

func TestEveryPinIsKnown(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	config, err := freshness.Read(root)
	require.NoError(t, err)
	for _, manager := range []string{"gomod", "github-actions", "helm-values", "npm", "custom.regex"} {
		require.Contains(t, config.EnabledManagers, manager)
	}
	// by default tests/, examples/ and vendor/ are ignored: https://docs.renovatebot.com/presets-default/#ignoremodulesandtests
	require.Equal(t, []string{"**/testdata/**", "**/node_modules/**"}, config.IgnorePaths)

	files := tree(t, root)
	seen := map[string]bool{}
	pins := 0
	for path, text := range files {
		known, err := config.Seen(path, text)
		require.NoError(t, err, path)
		for _, one := range known {
			seen[one.Name+":"+one.Version] = true
		}
		if !strings.HasPrefix(path, "localcluster/") && !regexp.MustCompile(`^charts/[^/]+/values\.yaml$`).MatchString(path) {
			continue
		}
		for _, found := range image.FindAllStringSubmatch(comment.ReplaceAllString(text, ""), -1) {
			pins++
			assert.Contains(t, known, freshness.Dependency{Name: found[1], Version: found[2]}, path)
		}
	}
	require.Greater(t, pins, 40)
	require.Greater(t, versionsOfKubernetes(t, config, files), 3)
	installed(t, files, seen)
	actions(t, files)
}

func versionsOfKubernetes(t *testing.T, config freshness.Config, files map[string]string) int {
	t.Helper()
	path := ".github/workflows/e2e.yaml"
	known, err := config.Seen(path, files[path])
	require.NoError(t, err)
	for _, one := range known {
		require.Equal(t, "kindest/node", one.Name)
		require.Regexp(t, `^v1\.\d+\.\d+$`, one.Version)
	}
	return len(known)
}

// installed checks that every image that the umbrella installs is found, by itself or by the appVersion of a chart.
func installed(t *testing.T, files map[string]string, seen map[string]bool) {
	t.Helper()
	var chart struct{ Annotations map[string]string }
	require.NoError(t, yaml.Unmarshal([]byte(files["charts/gitops-runtime/Chart.yaml"]), &chart))
	var images []struct{ Name, Image string }
	require.NoError(t, yaml.Unmarshal([]byte(chart.Annotations["artifacthub.io/images"]), &images))
	require.Greater(t, len(images), 20)
	for _, one := range images {
		repository, version, _ := strings.Cut(one.Image, ":")
		if strings.HasSuffix(repository, "/gitops-runtime-installer") {
			continue // an image of the product, whose version is in the file VERSION
		}
		_, short, _ := strings.Cut(repository, "/")
		found := seen[one.Image] || seen[short+":"+version]
		for name := range seen {
			source, pinned, _ := strings.Cut(name, ":")
			found = found || pinned == version && strings.Contains(source, "/") && strings.Split(source, "/")[0] == strings.Split(short, "/")[0]
		}
		assert.True(t, found, "nothing updates %s", one.Image)
	}
}

var uses = regexp.MustCompile(`uses: (\S+)(.*)`)

// actions checks that every action is pinned to a commit with its version in a comment; Renovate updates both.
func actions(t *testing.T, files map[string]string) {
	t.Helper()
	// the default patterns: https://docs.renovatebot.com/modules/manager/github-actions/
	manager := regexp.MustCompile(`(^|/)\.github/(workflows|actions)/.+\.ya?ml$|(^|/)action\.ya?ml$`)
	count := 0
	for path, text := range files {
		for _, found := range uses.FindAllStringSubmatch(text, -1) {
			if ext := filepath.Ext(path); ext != ".yaml" && ext != ".yml" {
				continue
			}
			count++
			assert.Regexp(t, manager, path)
			assert.Regexp(t, `^[\w-]+/[\w/-]+@[0-9a-f]{40}$`, found[1], path)
			assert.Regexp(t, `^ # v\d+\.\d+\.\d+$`, found[2], path)
		}
	}
	require.Greater(t, count, 10)
}

func TestSeen(t *testing.T) {
	config := freshness.Config{EnabledManagers: []string{"helm-values"}}
	config.HelmValues.ManagerFilePatterns = []string{`/values\.yaml$/`}
	known, err := config.Seen("values.yaml", "a: {repository: quay.io/a, tag: v1}\nb: {image: {registry: ghcr.io, repository: b, tag: \"2\"}}\nc: {repository: d, tag: \"\"}\n")
	require.NoError(t, err)
	require.Equal(t, []freshness.Dependency{{Name: "quay.io/a", Version: "v1"}, {Name: "ghcr.io/b", Version: "2"}}, known)
	_, err = freshness.Config{CustomManagers: []freshness.Manager{{ManagerFilePatterns: []string{"values.yaml"}}}}.Seen("a", "")
	require.EqualError(t, err, "pattern values.yaml: write /regular expression/")
}
