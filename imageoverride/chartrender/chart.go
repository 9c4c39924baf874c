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
	// Release and Namespace are the .Release of templates; "release-name" and "default" if empty, as with `helm template`.
	Release, Namespace string
	// KubeVersion is the version that templates see, for instance "1.33"; if empty, DefaultKubeVersion or the newest version that the chart allows.
	KubeVersion string
	// APIVersions are added to what templates see as .Capabilities.APIVersions.
	APIVersions []string
	// Whole executes every template in every render, whatever it reads.
	Whole bool
}

// Output is one rendered chart.
type Output struct {
	// Values are the coalesced values templates saw, enabled subcharts' included.
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

// ready is what a user's values are rendered with.
type ready struct {
	chart *chart.Chart
	scope chartutil.Values // without the values
	// tree are the coalesced values, shared; original are Helm's values, where two paths may share a map. Templates may modify it, so it is used for one
	// render.
	tree, original map[string]any
}

// maxReady bounds how many of them are kept.
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
	made := &Renderer{chart: c, settings: settings, caps: caps, engine: NewEngine(), enabled: helmrender.New(c), remote: remote, schemas: schemas{&helmschema.Cache{}, map[uint64]error{}}, values: interned{map[uint64]any{}}, ready: map[uint64]ready{}}
	made.engine.whole = settings.Whole
	return made, nil
}

// KubeVersion is the Kubernetes version that templates see.
func (r *Renderer) KubeVersion() string { return r.caps.KubeVersion.Version }

// RemoteSchemas lists the addresses that schemas refer to. They are never
// fetched, and what they would refuse is not known.
func (r *Renderer) RemoteSchemas() []string { return r.remote }

// Render renders with the user's values and fixed random functions. Schemas
// are not looked at.
func (r *Renderer) Render(ctx context.Context, user map[string]any) (Output, error) {
	var made Output
	err := r.Within(ctx, func() (err error) {
		made, err = r.render(ctx, user)
		return err
	})
	if err != nil {
		return Output{}, err
	}
	return made, nil
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

// Prove is RenderWithHelm for values that Render rendered before, which takes Helm's engine longer if templates copy their values.
func (r *Renderer) Prove(ctx context.Context, user map[string]any) (Output, error) {
	return r.withHelm(ctx, maxProof, user)
}

func (r *Renderer) withHelm(ctx context.Context, most time.Duration, user map[string]any) (Output, error) {
	var made Output
	err := r.within(ctx, most, func() (err error) {
		made, err = r.renderWithHelm(user)
		return err
	})
	if err != nil {
		return Output{}, err
	}
	return made, nil
}

func (r *Renderer) renderWithHelm(user map[string]any) (Output, error) {
	now, err := r.coalesce(user)
	if err != nil {
		return Output{}, err
	}
	if err := r.hold(now); err != nil {
		return Output{}, err
	}
	texts, err := helmengine.Render(now.chart, now.once())
	if err != nil {
		return Output{}, err
	}
	return Output{Values: now.tree, Documents: split(texts)}, nil
}

// Within runs work on the chart or its schemas that cannot be canceled. It returns when the work is done, when the context ends, or after more time than
// any chart needs; in the last two cases the renderer must not be used any more.
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
		return r.hold(now)
	})
}

func (r *Renderer) hold(now ready) error {
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

// Reads are the values that the templates of all renders so far name.
func (r *Renderer) Reads() Reads { return r.engine.reads.all() }

// Unseen lists the places "template:line" that mention images and that no Render so far has executed. Charts that were never enabled are ignored.
func (r *Renderer) Unseen() []string { return r.engine.coverage.unseen() }

// copied is what templates are executed with that do not write to values.
func (r ready) copied() chartutil.Values {
	scope := maps.Clone(r.scope)
	scope["Values"] = chartutil.Values(helmvalues.CopyTree(r.tree))
	return scope
}

// once is what templates are executed with as Helm has it.
func (r ready) once() chartutil.Values {
	scope := maps.Clone(r.scope)
	scope["Values"] = chartutil.Values(r.original)
	return scope
}

// prepare is coalesce, once for the same values.
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
