// Package golden renders the umbrella chart in cases: each access mode, high availability, a large runtime, an external
// Argo CD, a single namespace, everything enabled, everything disabled. Three of them have golden files.
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
	"gitops-runtime/internal/valueschema"
)

// Release and Namespace are the release name and the namespace of every case.
const (
	Release   = "cf"
	Namespace = "codefresh"
)

var options = helmrender.Options{Name: Release, Namespace: Namespace, Schemas: &valueschema.Cache{}}

// Chart is the umbrella chart, which is loaded once for many renders. Copies share a cache of releases.
type Chart struct {
	folder string
	whole  *helmrender.Chart
	cache  *sync.Map // functions that return the release of a case, by values files
}

// Load reads the umbrella chart of the checkout at root. Its dependencies have to be packed (make deps).
func Load(ctx context.Context, root string) (Chart, error) {
	folder := filepath.Join(root, "charts", "gitops-runtime")
	whole, err := helmchart.Load(ctx, helmchart.Source{Name: folder})
	if err != nil {
		return Chart{}, fmt.Errorf("read the chart %s (are its dependencies packed? run make deps): %w", folder, err)
	}
	return Chart{folder: folder, whole: helmrender.New(whole), cache: &sync.Map{}}, nil
}

// Folder returns the chart's folder; the values files of a Case are relative to it.
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

// Release returns the release that `helm install` of the case would store. It is rendered once and must not be changed.
func (c Chart) Release(of Case) (*release.Release, error) {
	rendered, _ := c.cache.LoadOrStore(strings.Join(of.Files, " "), sync.OnceValues(func() (*release.Release, error) { return c.Render(of) }))
	return rendered.(func() (*release.Release, error))()
}

// Render is like Release, but renders again.
func (c Chart) Render(of Case) (*release.Release, error) {
	values, err := c.values(of)
	if err != nil {
		return nil, err
	}
	rendered, err := c.whole.Release(values, options)
	if err != nil {
		return nil, fmt.Errorf("case %s: render the chart: %w", of.Name, err)
	}
	return rendered, nil
}

// Templates returns a function that renders the case's templates, by file, without the other steps of an install.
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

// definition matches a CustomResourceDefinition before it is parsed, since these are long.
var definition = regexp.MustCompile(`(?m)^kind: CustomResourceDefinition$`)

// Documents returns the case's objects in Helm's order, hooks last, without CustomResourceDefinitions.
func (c Chart) Documents(of Case) ([]Document, error) {
	rendered, err := c.Release(of)
	if err != nil {
		return nil, err
	}
	texts := strings.Split("\n"+rendered.Manifest, "\n---\n")
	for _, hook := range rendered.Hooks {
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
