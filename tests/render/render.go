// Package render renders the project's charts like `helm template`, with Helm's packages, and parses the result into typed objects.
package render

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/release"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmrender"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/valueschema"
)

// Release describes a render: a chart, its values and Helm's options.
type Release struct {
	Chart string // Chart is a folder below charts/.
	// Name and Namespace are "cf" and "codefresh" when empty.
	Name, Namespace string
	// Files are values files in the chart's ci/ folder, without the suffix -values.yaml.
	Files []string
	// ChartFiles are values files in the chart's folder, and Values additional values files.
	ChartFiles []string
	Values     []string
	// Set and SetJSON are the assignments of Helm's --set and --set-json, by path.
	Set, SetJSON map[string]string
	// APIs are API versions that the cluster serves in addition to those of Kubernetes.
	APIs []string
}

// Object is one rendered object.
type Object = unstructured.Unstructured

// Objects renders the release and returns its objects in Helm's order, hooks included.
func (r Release) Objects(t require.TestingT) []Object {
	text, err := r.Text(t)
	require.NoError(t, err, r.Chart)
	objects, err := Parse(text)
	require.NoError(t, err, r.Chart)
	return objects
}

// Text returns the output or the error of `helm template`. A chart that cannot be read fails the test, since that is not a rejection of values.
func (r Release) Text(t require.TestingT) (string, error) {
	made, err := r.Made(t)
	if err != nil {
		return "", err
	}
	return text(made), nil
}

// Read is like Objects, for callers that are not tests.
func (r Release) Read() ([]Object, error) {
	folder, err := r.folder()
	if err != nil {
		return nil, err
	}
	made, err := r.made(folder)
	if err != nil {
		return nil, err
	}
	return Parse(text(made))
}

func text(made *release.Release) string {
	var text strings.Builder
	fmt.Fprintln(&text, strings.TrimSpace(made.Manifest))
	for _, hook := range made.Hooks {
		fmt.Fprintf(&text, "---\n# Source: %s\n%s\n", hook.Path, hook.Manifest)
	}
	return text.String()
}

// releases and charts are caches of rendered releases and loaded charts, which tests share.
var releases, charts sync.Map

// once returns the result of do for a key, and calls do only the first time.
func once[T any](known *sync.Map, key string, do func() (T, error)) (T, error) {
	found, _ := known.LoadOrStore(key, sync.OnceValues(do))
	return found.(func() (T, error))()
}

// Made returns the release that `helm install --dry-run` would store; it must not be changed.
func (r Release) Made(t require.TestingT) (*release.Release, error) {
	folder, err := r.folder()
	require.NoError(t, err)
	return r.made(folder)
}

// Try executes the templates without parsing or caching their output, for tests that render too often to keep all releases in memory.
func (r Release) Try(t require.TestingT) error {
	folder, err := r.folder()
	require.NoError(t, err)
	of, given, options, err := r.input(folder)
	require.NoError(t, err)
	enabled, scope, err := of.Prepare(given, options)
	if err == nil {
		_, err = engine.Render(enabled, scope)
	}
	return err
}

// folder returns the chart's folder, or an error if the chart cannot be loaded.
func (r Release) folder() (string, error) {
	root, err := gomodule.Root()
	if err != nil {
		return "", err
	}
	folder := filepath.Join(root, "charts", r.Chart)
	_, err = read(folder)
	return folder, err
}

func (r Release) made(folder string) (*release.Release, error) {
	return once(&releases, fmt.Sprintf("%+v", r), func() (*release.Release, error) { return r.render(folder) })
}

func (r Release) render(folder string) (*release.Release, error) {
	of, given, options, err := r.input(folder)
	if err != nil {
		return nil, err
	}
	rendered, err := of.Release(given, options)
	if err != nil {
		return nil, fmt.Errorf("helm template %s: %w", r.Chart, err)
	}
	return rendered, nil
}

// schemas is a cache of compiled schemas, which all renders share.
var schemas valueschema.Cache

// input returns the chart, the values and the options of the render.
func (r Release) input(folder string) (*helmrender.Chart, map[string]any, helmrender.Options, error) {
	options := helmrender.Options{Name: cmp.Or(r.Name, "cf"), Namespace: cmp.Or(r.Namespace, "codefresh"), APIVersions: r.APIs, Schemas: &schemas}
	sources := helmvalues.Options{Files: slices.Clone(r.Values), Set: assignments(r.Set), JSON: assignments(r.SetJSON)}
	for _, file := range r.ChartFiles {
		sources.Files = append(sources.Files, filepath.Join(folder, file))
	}
	for _, file := range r.Files {
		sources.Files = append(sources.Files, filepath.Join(folder, "ci", file+"-values.yaml"))
	}
	given, err := helmvalues.Load(context.Background(), sources)
	if err != nil {
		return nil, nil, options, fmt.Errorf("values of %s: %w", r.Chart, err)
	}
	loaded, err := read(folder)
	if err != nil {
		return nil, nil, options, err
	}
	return loaded, given.Tree, options, nil
}

// read loads a chart once.
func read(folder string) (*helmrender.Chart, error) {
	return once(&charts, folder, func() (*helmrender.Chart, error) {
		loaded, err := helmchart.Load(context.Background(), helmchart.Source{Name: folder})
		if err != nil {
			return nil, fmt.Errorf("read the chart (are its dependencies packed? run make deps): %w", err)
		}
		return helmrender.New(loaded), nil
	})
}

func assignments(set map[string]string) []string {
	var all []string
	for path, value := range set {
		all = append(all, path+"="+value)
	}
	slices.Sort(all)
	return all
}

// Parse parses a stream of YAML documents and skips empty ones.
func Parse(text string) ([]Object, error) {
	var objects []Object
	for _, document := range strings.Split("\n"+text, "\n---") {
		fields, err := readDocument(document)
		if err != nil {
			return nil, err
		}
		if len(fields) > 0 {
			objects = append(objects, Object{Object: fields})
		}
	}
	return objects, nil
}

// definitions is a cache of parsed CustomResourceDefinitions, which are most of the text and the same in nearly all releases.
var definitions sync.Map

// readDocument parses a document; each caller gets a copy.
func readDocument(text string) (map[string]any, error) {
	if !strings.Contains(text, "\nkind: CustomResourceDefinition\n") {
		return parse(text)
	}
	fields, err := once(&definitions, text, func() (map[string]any, error) { return parse(text) })
	return runtime.DeepCopyJSON(fields), err
}

func parse(text string) (fields map[string]any, err error) {
	if err := yaml.Unmarshal([]byte(text), &fields); err != nil {
		return nil, fmt.Errorf("a rendered document is not valid YAML: %w:\n%s", err, text)
	}
	return fields, nil
}

// Find returns the object of a kind and name, or nil.
func Find(objects []Object, kind, name string) *Object {
	for i := range objects {
		if objects[i].GetKind() == kind && objects[i].GetName() == name {
			return &objects[i]
		}
	}
	return nil
}

// Names returns "Kind/name" of the objects whose kind is one of kinds.
func Names(objects []Object, kinds ...string) []string {
	names := []string{}
	for _, object := range objects {
		if slices.Contains(kinds, object.GetKind()) {
			names = append(names, object.GetKind()+"/"+object.GetName())
		}
	}
	return names
}

// As converts an object into a typed one, such as appsv1.Deployment. Unknown fields are an error.
func As[T any](object *Object) (T, error) {
	var typed T
	if object == nil {
		return typed, fmt.Errorf("the object was not rendered")
	}
	err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, &typed, true)
	return typed, err
}
