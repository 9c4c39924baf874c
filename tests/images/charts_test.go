package images

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/gomodule"
)

// TestCatalogueKnowsEveryImageOfTheCharts looks at the default values of all
// charts: {registry, repository, tag} maps, and texts that are a reference.
func TestCatalogueKnowsEveryImageOfTheCharts(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(root, "charts", "*", "values.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	catalogue := &Catalogue{rows: table()}
	for _, file := range files {
		for _, image := range imagesOf(t, file) {
			_, err := catalogue.find([]string{image})
			assert.NoError(t, err, file)
		}
	}
}

func imagesOf(t *testing.T, valuesFile string) []string {
	t.Helper()
	read := func(name string) (content map[string]any) {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, yaml.Unmarshal(text, &content), name)
		return content
	}
	chart := read(filepath.Join(filepath.Dir(valuesFile), "Chart.yaml"))
	appVersion, _ := chart["appVersion"].(string)
	return walk(read(valuesFile), appVersion)
}

// walk lists the references in a value. An image without a tag has that of the
// chart, its appVersion.
func walk(value any, tag string) []string {
	var found []string
	switch value := value.(type) {
	case map[string]any:
		repository, _ := value["repository"].(string)
		if repository != "" && hasImageKeys(value) {
			return []string{reference(value, repository, tag)}
		}
		text, _ := value["image"].(string)
		own, _ := value["tag"].(string)
		for key, each := range value {
			if key == "image" && text != "" && own != "" {
				each = text + ":" + own
			}
			found = append(found, walk(each, tag)...)
		}
	case []any:
		for _, each := range value {
			found = append(found, walk(each, tag)...)
		}
	case string:
		if host, _, ok := strings.Cut(value, "/"); ok && hosts[host] {
			found = append(found, value)
		}
	}
	return found
}

func hasImageKeys(value map[string]any) bool {
	_, tagged := value["tag"]
	_, digested := value["digest"]
	return tagged || digested
}

func reference(value map[string]any, repository, tag string) string {
	if own, _ := value["tag"].(string); own != "" {
		tag = own
	}
	if registry, _ := value["registry"].(string); registry != "" && !hosts[strings.Split(repository, "/")[0]] {
		repository = registry + "/" + repository
	}
	return repository + ":" + tag
}

var hosts = map[string]bool{"quay.io": true, "docker.io": true, "ghcr.io": true, "public.ecr.aws": true, "registry.k8s.io": true}

func TestWalk(t *testing.T) {
	var values any
	require.NoError(t, yaml.Unmarshal([]byte(`
image: {repository: quay.io/a/b, tag: ""}
sidecar: {image: {registry: docker.io, repository: c/d, tag: "2"}}
versions: [{natsImage: docker.io/library/nats:2}]
exporter: {image: ghcr.io/e/f, tag: "3"}
source: {repository: https://git.example/x}
help: see quay.io/a
`), &values))
	assert.ElementsMatch(t, []string{"quay.io/a/b:v1", "docker.io/c/d:2", "docker.io/library/nats:2", "ghcr.io/e/f:3"}, walk(values, "v1"))
}
