package chartrender

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	helmengine "helm.sh/helm/v3/pkg/engine"

	"gitops-runtime/internal/helmrender"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/process"
	"gitops-runtime/internal/valueschema"
)

// Settings is what a render depends on besides the chart and its values.
type Settings struct {
	// Release and Namespace are .Release.Name and .Release.Namespace of templates; "release-name" and "default" if empty, as with `helm template`.
	Release, Namespace string
	// KubeVersion is the version that templates see, for instance "1.33"; if empty, DefaultKubeVersion or the newest version that the chart allows.
	KubeVersion string
	// APIVersions are added to what templates see as .Capabilities.APIVersions.
	APIVersions []string
	// RenderTime is the CPU time that one render may take; if zero, the first one may take DefaultRenderTime, and others a multiple of that one.
	RenderTime time.Duration
	// Extend adds to the CPU time that the process may use: for each render if RenderTime is set, and for what takes only Helm long; may be nil.
	Extend func(time.Duration)
}

// Output is one rendered chart.
type Output struct {
	// Values are the coalesced values that templates saw, with those of enabled subcharts.
	Values map[string]any
	// Documents are the rendered manifests in a stable order.
	Documents []Document
	// Volatile reports whether templates used the time or random values, which Render fixes and Helm does not.
	Volatile bool
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
	patience patience
	texts    interned
	last     *chart.Chart  // rendered last
	slower   time.Duration // that Helm's engine may need in addition for a render
}

// ready is the input of one render, prepared from a user's values.
type ready struct {
	chart *chart.Chart
	// scope is the data of templates, which may modify it; tree is a copy of its values.
	scope chartutil.Values
	tree  map[string]any
}

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
	renderer := &Renderer{chart: c, settings: settings, caps: caps, engine: NewEngine(), enabled: helmrender.New(c), remote: remote, texts: interned{}, schemas: schemas{&valueschema.Cache{}}, patience: patience{limit: settings.RenderTime}}
	if settings.RenderTime > 0 {
		renderer.patience.extend = settings.Extend
	}
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
	return r.run(ctx, ownEngine, user, func(now ready) (map[string]string, error) {
		defer func() { r.slower = max(r.slower, r.engine.slower) }()
		return r.engine.Render(ctx, now.chart, now.scope)
	})
}

// RenderValid is Render with values that the schemas accept.
func (r *Renderer) RenderValid(ctx context.Context, user map[string]any) (Output, error) {
	return r.run(ctx, ownEngine, user, func(now ready) (map[string]string, error) {
		if err := r.checkSchemas(now); err != nil {
			return nil, err
		}
		return r.engine.Render(ctx, now.chart, now.scope)
	})
}

// RenderWithHelm renders with Helm's own engine and checks the values against
// the chart's schemas, as an installation does.
func (r *Renderer) RenderWithHelm(ctx context.Context, user map[string]any) (Output, error) {
	if r.settings.Extend != nil && r.slower > 0 {
		used := process.CPUTime()
		r.settings.Extend(r.slower)
		defer func() { r.settings.Extend(min(process.CPUTime()-used, r.slower) - r.slower) }() // what is left
	}
	return r.run(ctx, helmsEngine, user, func(now ready) (map[string]string, error) {
		if err := r.checkSchemas(now); err != nil {
			return nil, err
		}
		return helmengine.Render(now.chart, now.scope)
	})
}

// run coalesces a user's values and renders them within the time limit.
func (r *Renderer) run(ctx context.Context, what work, user map[string]any, render func(ready) (map[string]string, error)) (Output, error) {
	var output Output
	err := r.within(ctx, what, func() error {
		now, err := r.coalesce(user)
		if err != nil {
			return err
		}
		texts, err := render(now)
		if err != nil {
			return err
		}
		output = Output{Values: now.tree, Documents: append(r.texts.split(texts), r.texts.crds(now.chart)...), Volatile: what == ownEngine && r.engine.volatile}
		if len(output.Documents) > MaxManifests {
			return fmt.Errorf("the templates write more than %d manifests", MaxManifests)
		}
		return nil
	})
	if err != nil {
		return Output{}, err
	}
	return output, nil
}

// Within runs work on the chart or its schemas that cannot be canceled. It returns when the work is done, when the context ends, or when the work
// exceeds the time limit; in the last two cases the renderer must not be used any more.
func (r *Renderer) Within(ctx context.Context, work func() error) error {
	return r.within(ctx, schemaWork, work)
}

func (r *Renderer) within(ctx context.Context, what work, do func() error) error {
	err := r.patience.within(ctx, what, do)
	if errors.As(err, new(*TooLong)) {
		return fmt.Errorf("chart %s: %w", r.chart.Name(), err)
	}
	return err
}

// Check validates the user's values against the schemas of the chart and of all enabled subcharts, as an installation does before it renders.
func (r *Renderer) Check(ctx context.Context, user map[string]any) error {
	return r.Within(ctx, func() error {
		now, err := r.coalesce(user)
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

// Forget removes parsed templates and compiled schemas. A later render parses them again.
func (r *Renderer) Forget() {
	r.ForgetTemplates()
	r.schemas.compiled.Forget()
}

// ForgetTemplates removes parsed templates, which Helm's engine does not use: with less memory in use, garbage is collected less often.
func (r *Renderer) ForgetTemplates() { r.engine = NewEngine() }

// Reads returns the values that the templates of all renders so far name.
func (r *Renderer) Reads() Reads { return r.engine.reads.all() }

// Source returns the text of a template of the chart that was rendered last, or of its subcharts, by its name; "" if there is none.
func (r *Renderer) Source(name string) string {
	if r.last == nil {
		return ""
	}
	for all := []*chart.Chart{r.last}; len(all) > 0; all = all[1:] {
		for _, file := range all[0].Templates {
			if path.Join(all[0].ChartFullPath(), file.Name) == name {
				return string(file.Data)
			}
		}
		all = append(all, all[0].Dependencies()...)
	}
	return ""
}

// Unseen returns the places "template:line" that mention images and that no Render so far has executed. Charts that were never enabled are ignored.
func (r *Renderer) Unseen() []string { return r.engine.coverage.unseen() }

// coalesce merges a user's values over those of the charts that they enable.
func (r *Renderer) coalesce(user map[string]any) (ready, error) {
	prepared, err := r.enabled.Enabled(user)
	if err != nil {
		return ready{}, err
	}
	release := chartutil.ReleaseOptions{Name: r.settings.Release, Namespace: r.settings.Namespace, Revision: 1, IsInstall: true}
	scope, err := chartutil.ToRenderValuesWithSchemaValidation(prepared, helmvalues.CopyTree(user), release, r.caps, true)
	if err != nil {
		return ready{}, fmt.Errorf("values of chart %s: %w", r.chart.Name(), err)
	}
	r.last = prepared
	tree, _ := helmvalues.AsMap(scope["Values"])
	return ready{chart: prepared, scope: scope, tree: helmvalues.CopyTree(tree)}, nil
}

// isPartial reports whether a template is only executed by others.
func isPartial(name string) bool { return strings.HasPrefix(path.Base(name), "_") }

// isManifest reports whether a template renders objects, unlike notes and partials.
func isManifest(name string) bool {
	return !strings.HasSuffix(name, "NOTES.txt")
}
