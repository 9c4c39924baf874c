package pins

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// ImagesOf lists the images that the default values of a chart name:
// {registry, repository, tag} maps, and texts that are a reference.
func ImagesOf(valuesFile string) ([]string, error) {
	version, err := AppVersion(filepath.Dir(valuesFile))
	if err != nil {
		return nil, err
	}
	var values map[string]any
	if err := readYAML(valuesFile, &values); err != nil {
		return nil, err
	}
	return walk(values, version), nil
}

// AppVersion is the appVersion of the chart in a folder: the tag of its images without one.
func AppVersion(chart string) (string, error) {
	var read struct{ AppVersion string }
	err := readYAML(filepath.Join(chart, "Chart.yaml"), &read)
	return read.AppVersion, err
}

func readYAML(name string, into any) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// walk lists the references in a value. An image without a tag has that of the chart, its appVersion.
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
