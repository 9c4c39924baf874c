// Package golden renders the umbrella chart in the cases that are kept as files and reviewed as differences: each access
// mode, high availability, a foreign Argo CD, a single namespace, everything on, everything off.
package golden

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/release"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmrender"
	"gitops-runtime/internal/helmschema"
)

// Release and Namespace are those of every rendered case.
const (
	Release   = "cf"
	Namespace = "codefresh"
)

var options = helmrender.Options{Name: Release, Namespace: Namespace, Schemas: &helmschema.Cache{}}

// Chart is the umbrella chart, its files read once for many renders. Copies of it share what was rendered.
type Chart struct {
	folder string
	whole  *helmrender.Chart
	made   *sync.Map // functions that give the release of a case, by its values files
}

// Load reads the umbrella chart of the checkout whose root is given. Its dependencies have to be packed (make deps).
func Load(ctx context.Context, root string) (Chart, error) {
	folder := filepath.Join(root, "charts", "gitops-runtime")
	whole, err := helmchart.Load(ctx, helmchart.Source{Name: folder})
	if err != nil {
		return Chart{}, fmt.Errorf("read the chart %s (are its dependencies packed? run make deps): %w", folder, err)
	}
	return Chart{folder: folder, whole: helmrender.New(whole), made: &sync.Map{}}, nil
}

// Folder is where the chart was read from; values files of a Case are named from there.
func (c Chart) Folder() string { return c.folder }

// values merges the values files of a case.
func (c Chart) values(of Case) (map[string]any, error) {
	values := map[string]any{}
	for _, file := range of.Files {
		read, err := chartutil.ReadValuesFile(filepath.Join(c.folder, file))
		if err != nil {
			return nil, fmt.Errorf("case %s: values file %s: %w", of.Name, file, err)
		}
		values = chartutil.MergeTables(read, values)
	}
	return values, nil
}

// Release is what `helm install` of the case would store, rendered when it is first asked for; it must not be changed.
func (c Chart) Release(of Case) (*release.Release, error) {
	made, _ := c.made.LoadOrStore(strings.Join(of.Files, " "), sync.OnceValues(func() (*release.Release, error) { return c.Render(of) }))
	return made.(func() (*release.Release, error))()
}

// Render is Release, created again.
func (c Chart) Render(of Case) (*release.Release, error) {
	values, err := c.values(of)
	if err != nil {
		return nil, err
	}
	made, err := c.whole.Release(values, options)
	if err != nil {
		return nil, fmt.Errorf("case %s: render the chart: %w", of.Name, err)
	}
	return made, nil
}

// Templates gives a function that renders the case's templates once more, file to text, without Helm's work around it.
func (c Chart) Templates(of Case) (func() (map[string]string, error), error) {
	values, err := c.values(of)
	if err != nil {
		return nil, err
	}
	whole, merged, err := c.whole.Prepare(values, options)
	if err != nil {
		return nil, fmt.Errorf("case %s: values: %w", of.Name, err)
	}
	return func() (map[string]string, error) { return engine.Render(whole, merged) }, nil
}

// definition is found before a text is read: definitions are long.
var definition = regexp.MustCompile(`(?m)^kind: CustomResourceDefinition$`)

// Documents are the case's objects as text, hooks last, in Helm's order; custom resource definitions are left out.
func (c Chart) Documents(of Case) ([]Document, error) {
	made, err := c.Release(of)
	if err != nil {
		return nil, err
	}
	texts := strings.Split("\n"+made.Manifest, "\n---\n")
	for _, hook := range made.Hooks {
		texts = append(texts, fmt.Sprintf("# Source: %s\n%s", hook.Path, hook.Manifest))
	}
	var documents []Document
	for _, text := range texts {
		if definition.MatchString(text) {
			continue
		}
		document, err := read(text)
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", of.Name, err)
		}
		if document.Object != nil {
			documents = append(documents, document)
		}
	}
	return documents, nil
}
