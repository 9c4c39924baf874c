// Package charts holds what the programs of this repository know of its charts wherever they run: names, versions, default values and the
// schemas of values, as they were when the program was built.
package charts

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

//go:embed */Chart.yaml */values.yaml */values.schema.json
var files embed.FS

// Umbrella returns the files of the chart gitops-runtime by their names in the packed chart, those of the charts it depends on under charts/.
func Umbrella() (map[string][]byte, error) {
	const umbrella = "gitops-runtime"
	found := map[string][]byte{}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		if own, ok := strings.CutPrefix(name, umbrella+"/"); ok {
			found[own] = text
		} else {
			found[path.Join("charts", name)] = text
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("the charts built into this program: %w", err)
	}
	return found, nil
}
