package render

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	helmengine "helm.sh/helm/v3/pkg/engine"

	"gitops-runtime/internal/helmvalues"
)

// Settings is what a render depends on besides the chart and its values.
type Settings struct {
	// Release and Namespace are what templates see as .Release; "release-name"
	// and "default" when empty, as with `helm template`.
	Release, Namespace string
	// KubeVersion is the version templates see, for instance "1.33"; when empty,
	// DefaultKubeVersion or the newest version that the chart allows.
	KubeVersion string
	// APIVersions are added to what templates see as .Capabilities.APIVersions.
	APIVersions []string
}

// Output is one rendered chart.
type Output struct {
	// Values are the coalesced values templates saw, enabled subcharts' included.
	Values map[string]any
	// Documents are the rendered manifests in a stable order.
	Documents []Document
}

// Renderer renders one chart with many sets of values.
type Renderer struct {
	chart    *chart.Chart
	settings Settings
	caps     *chartutil.Capabilities
	engine   *Engine
	enabled  *enabledCharts
	remote   []string
	schemas  schemas
}

// NewRenderer checks the settings and makes a Renderer. The chart is not changed.
func NewRenderer(c *chart.Chart, settings Settings) (*Renderer, error) {
	if settings.Release == "" {
		settings.Release = "release-name"
	}
	if settings.Namespace == "" {
		settings.Namespace = "default"
	}
	caps := chartutil.DefaultCapabilities.Copy()
	version, err := settings.kubeVersion(c.Metadata.KubeVersion)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", c.Name(), err)
	}
	caps.KubeVersion = *version
	caps.APIVersions = append(slices.Clone(caps.APIVersions), settings.APIVersions...)
	c, remote := localSchemas(c)
	return &Renderer{chart: c, settings: settings, caps: caps, engine: NewEngine(), enabled: newEnabledCharts(c), remote: remote, schemas: schemas{map[string]*jsonschema.Schema{}}}, nil
}

// KubeVersion is the Kubernetes version that templates see.
func (r *Renderer) KubeVersion() string { return r.caps.KubeVersion.Version }

// RemoteSchemas lists the addresses that schemas refer to. They are never
// fetched, and what they would refuse is not known.
func (r *Renderer) RemoteSchemas() []string { return r.remote }

// Render renders with the user's values and fixed random functions. Schemas
// are not looked at.
func (r *Renderer) Render(ctx context.Context, user map[string]any) (Output, error) {
	if err := ctx.Err(); err != nil {
		return Output{}, err
	}
	prepared, scope, err := r.prepare(user)
	if err != nil {
		return Output{}, err
	}
	texts, err := r.engine.Render(ctx, prepared, scope)
	if err != nil {
		return Output{}, err
	}
	return output(scope, texts), nil
}

// RenderWithHelm renders with Helm's own engine and checks the values against
// the chart's schemas, as an installation does.
func (r *Renderer) RenderWithHelm(ctx context.Context, user map[string]any) (Output, error) {
	if err := ctx.Err(); err != nil {
		return Output{}, err
	}
	prepared, scope, err := r.prepare(user)
	if err != nil {
		return Output{}, err
	}
	if err := r.hold(prepared, scope); err != nil {
		return Output{}, err
	}
	texts, err := helmengine.Render(prepared, scope)
	if err != nil {
		return Output{}, err
	}
	return output(scope, texts), nil
}

// Check holds the user's values against the schemas of the chart and of all
// enabled subcharts, as an installation does before it renders.
func (r *Renderer) Check(user map[string]any) error {
	prepared, scope, err := r.prepare(user)
	if err != nil {
		return err
	}
	return r.hold(prepared, scope)
}

func (r *Renderer) hold(prepared *chart.Chart, scope chartutil.Values) error {
	tree, _ := helmvalues.AsMap(scope["Values"])
	if err := r.schemas.check(prepared, tree); err != nil {
		return fmt.Errorf("values of chart %s: %w", r.chart.Name(), err)
	}
	return nil
}

// Reads are the values that the templates of all renders so far name.
func (r *Renderer) Reads() Reads { return r.engine.reads.all() }

// Unseen lists the places "template:line" that speak of images and that no
// Render so far has executed. Charts that were never enabled are not looked at.
func (r *Renderer) Unseen() []string { return r.engine.coverage.unseen() }

func output(scope chartutil.Values, texts map[string]string) Output {
	coalesced, _ := scope["Values"].(chartutil.Values)
	return Output{Values: coalesced, Documents: split(texts)}
}

func (r *Renderer) prepare(user map[string]any) (*chart.Chart, chartutil.Values, error) {
	prepared, err := r.enabled.of(user)
	if err != nil {
		return nil, nil, err
	}
	user = helmvalues.CopyTree(user)
	release := chartutil.ReleaseOptions{Name: r.settings.Release, Namespace: r.settings.Namespace, Revision: 1, IsInstall: true}
	scope, err := chartutil.ToRenderValuesWithSchemaValidation(prepared, user, release, r.caps, true)
	if err != nil {
		return nil, nil, fmt.Errorf("values of chart %s: %w", r.chart.Name(), err)
	}
	if coalesced, ok := scope["Values"].(map[string]any); ok {
		scope["Values"] = chartutil.Values(coalesced)
	}
	return prepared, scope, nil
}

// clone copies what processing dependencies changes: metadata and the tree of
// charts. Templates and files are shared.
func clone(c *chart.Chart) *chart.Chart {
	metadata := *c.Metadata
	metadata.Dependencies = make([]*chart.Dependency, len(c.Metadata.Dependencies))
	for i, dependency := range c.Metadata.Dependencies {
		if dependency != nil {
			copied := *dependency
			metadata.Dependencies[i] = &copied
		}
	}
	out := &chart.Chart{Metadata: &metadata, Lock: c.Lock, Templates: c.Templates, Values: helmvalues.CopyTree(c.Values), Schema: c.Schema, Files: c.Files}
	for _, child := range c.Dependencies() {
		out.AddDependency(clone(child))
	}
	return out
}

// isManifest tells templates that make objects from notes and partials.
func isManifest(name string) bool {
	return !strings.HasSuffix(name, "NOTES.txt")
}
