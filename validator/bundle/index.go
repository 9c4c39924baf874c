package bundle

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"slices"

	"gitops-runtime/internal/webpage"
)

//go:embed index.gohtml
var parts string

type file struct {
	Name string
	Size int
}

// index returns the page that lists the files.
func (b *bundle) index() ([]byte, error) {
	templates, err := webpage.Parse(parts)
	if err != nil {
		return nil, fmt.Errorf("the template of the index page: %w", err)
	}
	view := struct {
		Title string
		Files []file
		Left  []string
	}{
		Title: fmt.Sprintf("Release %s in the namespace %s, chart %s %s", b.Release.Name, b.namespace, b.Release.Chart.Metadata.Name, b.Release.Chart.Metadata.Version),
		Left:  append(slices.Clone(b.left), always...),
	}
	for _, name := range slices.Sorted(maps.Keys(b.files)) {
		view.Files = append(view.Files, file{name, len(b.files[name])})
	}
	var out bytes.Buffer
	page, err := webpage.Begin(&out, templates, "Support bundle")
	if err != nil {
		return nil, err
	}
	if err := page.Part("index", view); err != nil {
		return nil, err
	}
	if err := page.End("validate-values " + b.Version); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
