package chartrender

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	helmengine "helm.sh/helm/v3/pkg/engine"

	"gitops-runtime/internal/helmrender"
	"gitops-runtime/internal/helmschema"
	"gitops-runtime/internal/helmvalues"
)

// Settings is what a render depends on besides the chart and its values.
type Settings struct {
	// Release and Namespace are .Release.Name and .Release.Namespace of templates; "release-name" and "default" if empty, as with `helm template`.
	Release, Namespace string
	// KubeVersion is the version that templates see, for instance "1.33"; if empty, DefaultKubeVersion or the newest version that the chart allows.
	KubeVersion string
	// APIVersions are added to what templates see as .Capabilities.APIVersions.
	APIVersions []string
	// Whole executes every template in every render, regardless of what it reads.
	Whole bool
}

// Output is one rendered chart.
type Output struct {
	// Values are the coalesced values that templates saw, with those of enabled subcharts.
	Values map[string]any
	// Documents are the rendered manifests in a stable order.
	Documents []Document
	// The other fields are for Witness.
	files []*file
	ready ready
}

// Renderer renders one chart with many sets of values.
type Renderer struct {
	chart    *chart.Chart
	settings Settings
	caps     *chartutil.Capabilities
	engine   *Engine
	enabled  *helmrender.Chart
	remote   []string
	schemas  schemas
	values   interned
	ready    map[uint64]ready
	patience patience
}

// ready is the input of a render, prepared from a user's values.
type ready struct {
	chart *chart.Chart
	scope chartutil.Values // without the values
	// tree contains the coalesced values, which renders share; original contains Helm's values, in which two paths may share a map. Templates may
	// modify original, so it is used for one render.
	tree, original map[string]any
}

// maxReady limits the number of cached inputs.
const maxReady = 64

// NewRenderer checks the settings and creates a Renderer. The chart is not changed.
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
	renderer := &Renderer{chart: c, settings: settings, caps: caps, engine: NewEngine(), enabled: helmrender.New(c), remote: remote, schemas: schemas{&helmschema.Cache{}, map[uint64]error{}}, values: interned{map[uint64]any{}}, ready: map[uint64]ready{}}
	renderer.engine.whole = settings.Whole
	return renderer, nil
}

// KubeVersion returns the Kubernetes version that templates see.
func (r *Renderer) KubeVersion() string { return r.caps.KubeVersion.Version }

// RemoteSchemas returns the addresses that schemas refer to. They are never
// fetched, so it is not known what they would reject.
func (r *Renderer) RemoteSchemas() []string { return r.remote }

// Render renders with the user's values and fixed random functions. It does not
// validate the values against schemas.
func (r *Renderer) Render(ctx context.Context, user map[string]any) (Output, error) {
	var output Output
	err := r.Within(ctx, func() (err error) {
		output, err = r.render(ctx, user)
		return err
	})
	if err != nil {
		return Output{}, err
	}
	return output, nil
}

func (r *Renderer) render(ctx context.Context, user map[string]any) (Output, error) {
	now, err := r.prepare(user)
	if err != nil {
		return Output{}, err
	}
	var files []*file
	if !r.engine.whole {
		files, err = r.engine.Render(ctx, now.chart, now.copied())
	}
	if r.engine.whole {
		if now, err = r.coalesce(user); err != nil {
			return Output{}, err
		}
		files, err = r.engine.Render(ctx, now.chart, now.once())
	}
	if err != nil {
		return Output{}, err
	}
	now.original = nil
	return Output{Values: now.tree, Documents: documentsOf(files), files: files, ready: now}, nil
}

// RenderWithHelm renders with Helm's own engine and checks the values against
// the chart's schemas, as an installation does.
func (r *Renderer) RenderWithHelm(ctx context.Context, user map[string]any) (Output, error) {
	return r.withHelm(ctx, maxTime, user)
}

// Prove is RenderWithHelm with a higher time limit, for values that Render rendered before: Helm's engine takes longer if templates copy their
// values.
func (r *Renderer) Prove(ctx context.Context, user map[string]any) (Output, error) {
	return r.withHelm(ctx, maxProof, user)
}

func (r *Renderer) withHelm(ctx context.Context, most time.Duration, user map[string]any) (Output, error) {
	var output Output
	err := r.within(ctx, most, func() (err error) {
		output, err = r.renderWithHelm(user)
		return err
	})
	if err != nil {
		return Output{}, err
	}
	return output, nil
}

func (r *Renderer) renderWithHelm(user map[string]any) (Output, error) {
	now, err := r.coalesce(user)
	if err != nil {
		return Output{}, err
	}
	if err := r.checkSchemas(now); err != nil {
		return Output{}, err
	}
	texts, err := helmengine.Render(now.chart, now.once())
	if err != nil {
		return Output{}, err
	}
	return Output{Values: now.tree, Documents: split(texts)}, nil
}

// Within runs work on the chart or its schemas that cannot be canceled. It returns when the work is done, when the context ends, or after more time
// than any chart needs; in the last two cases the renderer must not be used any more.
func (r *Renderer) Within(ctx context.Context, work func() error) error {
	return r.within(ctx, maxTime, work)
}

func (r *Renderer) within(ctx context.Context, most time.Duration, work func() error) error {
	err := r.patience.within(ctx, most, work)
	if errors.Is(err, ErrTooLong) {
		return fmt.Errorf("chart %s: %w", r.chart.Name(), err)
	}
	return err
}

// Check validates the user's values against the schemas of the chart and of all enabled subcharts, as an installation does before it renders.
func (r *Renderer) Check(ctx context.Context, user map[string]any) error {
	return r.Within(ctx, func() error {
		now, err := r.prepare(user)
		if err != nil {
			return err
		}
		return r.checkSchemas(now)
	})
}

func (r *Renderer) checkSchemas(now ready) error {
	if err := r.schemas.check(now.chart, now.tree); err != nil {
		return fmt.Errorf("values of chart %s: %w", r.chart.Name(), err)
	}
	return nil
}

// Forget removes parsed templates, compiled schemas and results: outputs keep what Witness needs. A later render parses them again.
func (r *Renderer) Forget() {
	whole := r.engine.whole
	r.engine = NewEngine()
	r.engine.whole = whole
	r.schemas.compiled.Forget()
}

// Reads returns the values that the templates of all renders so far name.
func (r *Renderer) Reads() Reads { return r.engine.reads.all() }

// Unseen returns the places "template:line" that mention images and that no Render so far has executed. Charts that were never enabled are ignored.
func (r *Renderer) Unseen() []string { return r.engine.coverage.unseen() }

// copied returns the data for templates that do not modify values: the values are a copy.
func (r ready) copied() chartutil.Values {
	scope := maps.Clone(r.scope)
	scope["Values"] = chartutil.Values(helmvalues.CopyTree(r.tree))
	return scope
}

// once returns the data for templates as Helm has it, which is valid for one render.
func (r ready) once() chartutil.Values {
	scope := maps.Clone(r.scope)
	scope["Values"] = chartutil.Values(r.original)
	return scope
}

// prepare is coalesce with a cache, without the original values.
func (r *Renderer) prepare(user map[string]any) (ready, error) {
	sum := content(user)
	if known, ok := r.ready[sum]; ok {
		return known, nil
	}
	now, err := r.coalesce(user)
	if err != nil {
		return ready{}, err
	}
	now.original = nil
	if len(r.ready) >= maxReady {
		clear(r.ready)
	}
	r.ready[sum] = now
	return now, nil
}

// coalesce merges a user's values over those of the charts that they enable.
func (r *Renderer) coalesce(user map[string]any) (ready, error) {
	prepared, err := r.enabled.Enabled(user)
	if err != nil {
		return ready{}, err
	}
	user = helmvalues.CopyTree(user)
	release := chartutil.ReleaseOptions{Name: r.settings.Release, Namespace: r.settings.Namespace, Revision: 1, IsInstall: true}
	scope, err := chartutil.ToRenderValuesWithSchemaValidation(prepared, user, release, r.caps, true)
	if err != nil {
		return ready{}, fmt.Errorf("values of chart %s: %w", r.chart.Name(), err)
	}
	tree, _ := mapOf(scope["Values"])
	delete(scope, "Values")
	return ready{chart: prepared, scope: scope, tree: r.values.tree(tree), original: tree}, nil
}

// isPartial reports whether a template is only executed by others.
func isPartial(name string) bool { return strings.HasPrefix(path.Base(name), "_") }

// isManifest reports whether a template renders objects, unlike notes and partials.
func isManifest(name string) bool {
	return !strings.HasSuffix(name, "NOTES.txt")
}
