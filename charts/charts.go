// Package charts holds what the programs of this repository know of its charts wherever they run: names, versions, default values and the
// schemas of values, as they were when the program was built.
package charts

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"sigs.k8s.io/yaml"
)

const umbrella = "gitops-runtime"

//go:embed */Chart.yaml */values.yaml */values.schema.json
var files embed.FS

// Umbrella returns the files of the chart gitops-runtime by their names in the packed chart, those of the charts it depends on under charts/.
func Umbrella() (map[string][]byte, error) {
	found := map[string][]byte{}
	if err := add(found, umbrella, ""); err != nil {
		return nil, fmt.Errorf("the charts built into this program: %w", err)
	}
	return found, nil
}

// add adds a chart below a folder, and in its own charts/ those it depends on.
func add(found map[string][]byte, name, folder string) error {
	err := fs.WalkDir(files, name, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(file)
		found[path.Join(folder, strings.TrimPrefix(file, name+"/"))] = text
		return err
	})
	if err != nil {
		return err
	}
	var metadata struct {
		Dependencies []struct {
			Name string `json:"name"`
		} `json:"dependencies"`
	}
	if err := yaml.Unmarshal(found[path.Join(folder, "Chart.yaml")], &metadata); err != nil {
		return fmt.Errorf("chart %s: %w", name, err)
	}
	for _, dependency := range metadata.Dependencies {
		if err := add(found, dependency.Name, path.Join(folder, "charts", dependency.Name)); err != nil {
			return err
		}
	}
	return nil
}
