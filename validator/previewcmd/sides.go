package previewcmd

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"time"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/release"

	"gitops-runtime/internal/helmrender"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/valueschema"
	"gitops-runtime/validator/preview"
	"gitops-runtime/validator/validatecmd"
)

// run is what the steps of a comparison share.
type run struct {
	options
	system  validatecmd.System
	hidden  *preview.Hidden
	cluster validatecmd.Cluster
	render  helmrender.Options
	// known is the version of Kubernetes, empty if nobody told it.
	known  string
	lookup *preview.Lookup
	charts map[string]*source
	// oldChart is the chart of the side before, as it was loaded or stored.
	oldChart *chart.Chart
}

// source is a loaded chart.
type source struct {
	chart  *chart.Chart
	reused *helmrender.Chart
	place  string
}

// load loads a chart once, since both sides are often the same.
func (r *run) load(ctx context.Context, from validatecmd.Options, flag string) (*source, error) {
	key := from.Chart + "\n" + from.ChartVersion
	if r.charts[key] == nil {
		loaded, place, err := from.LoadChart(ctx, r.system, flag)
		if err != nil {
			return nil, err
		}
		r.hidden.Add(loaded.Values)
		r.charts[key] = &source{loaded, helmrender.New(loaded), place}
	}
	return r.charts[key], nil
}

// compare reads both sides and compares them.
func (o options) compare(ctx context.Context, system validatecmd.System, hidden *preview.Hidden) (preview.Report, error) {
	o.Values.In = system.In
	r := run{options: o, system: system, hidden: hidden, charts: map[string]*source{}}
	given, err := helmvalues.Load(ctx, o.Values)
	if err != nil {
		return preview.Report{}, err
	}
	hidden.Add(given.Tree)
	if err := r.connect(ctx); err != nil {
		return preview.Report{}, err
	}
	before, values, err := r.old(ctx, given)
	if err != nil {
		return preview.Report{}, err
	}
	done := step(system, "rendering the new chart")
	after, causes, err := r.new(ctx, before, values, given)
	done()
	if err != nil {
		hidden.Release(before.Release) // the message of a template may quote what the release keeps in a Secret
		return preview.Report{}, err
	}
	in := preview.Input{
		Before: before, After: after, Namespace: r.Namespace, Name: o.Release, Kubernetes: r.known, Causes: causes, Hidden: hidden, Lookup: r.lookup,
	}
	if r.cluster != nil {
		in.Cluster = r.cluster
	}
	done = step(system, "comparing both sides")
	defer done()
	report, err := preview.Compare(ctx, in)
	report.Version = system.Version
	return report, err
}

// connect connects to the cluster. One that no flag selects is used only if it answers, unless the release is read from it.
func (r *run) connect(ctx context.Context) error {
	r.render = helmrender.Options{Name: r.Release, Upgrade: true, KubeVersion: r.kubernetes, APIVersions: r.apiVersions, Schemas: &valueschema.Cache{}}
	r.known = r.kubernetes
	if !r.NoCluster {
		needed := r.fromRelease() || r.Connection.Kubeconfig != "" || r.Connection.Context != ""
		found, namespace, err := r.system.Connect(ctx, r.Connection)
		if err == nil {
			err = r.learn(ctx, found, needed)
			if r.Namespace == "" {
				r.Namespace = namespace
			}
		}
		if err != nil && needed {
			return fmt.Errorf("the cluster cannot be asked: %w; without one, name the chart of the release with --before, and give --no-cluster", err)
		}
	}
	if r.Namespace == "" {
		return errors.New("no namespace: give --namespace NS, the namespace of the release")
	}
	r.render.Namespace = r.Namespace
	if r.cluster != nil {
		r.lookup = preview.NewLookup(ctx, r.cluster, r.Namespace, r.hidden)
		r.render.Lookup = r.lookup
	}
	return nil
}

// probeTime is the time limit for the response of a cluster that no flag selects.
const probeTime = 3 * time.Second

// learn asks the cluster for its version and the API versions that it serves.
func (r *run) learn(ctx context.Context, found validatecmd.Cluster, needed bool) error {
	if !needed {
		short, cancel := context.WithTimeout(ctx, probeTime)
		defer cancel()
		ctx = short
	}
	version, err := found.Version(ctx)
	if err != nil {
		return err
	}
	if r.known == "" {
		r.known, r.render.KubeVersion = version, version
	}
	served, err := preview.Served(ctx, found)
	if err != nil {
		return err
	}
	r.cluster, r.render.APIVersions = found, append(r.render.APIVersions, served...)
	return nil
}

// old returns the side before, and the values that it was made with.
func (r *run) old(ctx context.Context, given *helmvalues.Values) (preview.Side, *helmvalues.Values, error) {
	if r.fromRelease() {
		done := step(r.system, "reading the release")
		defer done()
		stored, err := preview.Stored(ctx, r.cluster, r.Namespace, r.Release, r.revision)
		if err != nil {
			return preview.Side{}, nil, err
		}
		r.hidden.Add(stored.Config)
		r.oldChart = stored.Chart
		title := fmt.Sprintf("revision %d (%s)", stored.Version, titleOf(stored.Chart))
		return preview.Side{Title: title, Release: stored, Revision: true}, helmvalues.New(stored.Config), nil
	}
	done := step(r.system, "rendering the chart before")
	defer done()
	values := given
	if r.beforeRef != "" {
		var err error
		if values, err = r.committed(ctx); err != nil {
			return preview.Side{}, nil, err
		}
	}
	if len(r.beforeValues)+len(r.beforeSet) > 0 {
		var err error
		if values, err = helmvalues.Load(ctx, helmvalues.Options{Files: r.beforeValues, Set: r.beforeSet, In: r.system.In}); err != nil {
			return preview.Side{}, nil, err
		}
	}
	r.hidden.Add(values.Tree)
	from := r.Options
	if r.before != "" {
		from.Chart, from.ChartVersion = r.before, r.beforeVersion
	}
	loaded, err := r.load(ctx, from, "--before")
	if err != nil {
		return preview.Side{}, nil, err
	}
	r.oldChart = loaded.chart
	rendered, err := loaded.reused.Release(values.Tree, r.render)
	if err != nil {
		return preview.Side{}, nil, fmt.Errorf("chart %s does not render with the values before: %w", loaded.place, err)
	}
	return preview.Side{Title: titleOf(loaded.chart), Release: rendered}, values, nil
}

// committed returns the values of -f, as the files are in a revision of Git, and of the --set flags.
func (r *run) committed(ctx context.Context) (*helmvalues.Values, error) {
	tree := map[string]any{}
	for _, file := range r.Values.Files {
		command := exec.CommandContext(ctx, "git", "-C", filepath.Dir(file), "show", r.beforeRef+":./"+filepath.Base(file))
		text, err := command.Output()
		if exit := new(exec.ExitError); errors.As(err, &exit) {
			return nil, fmt.Errorf("git has no file %s in the revision %s", file, r.beforeRef)
		} else if err != nil {
			return nil, fmt.Errorf("git cannot be run: %w", err)
		}
		layer, err := helmvalues.Load(ctx, helmvalues.Options{Base: tree, Files: []string{"-"}, Text: text})
		if err != nil {
			return nil, fmt.Errorf("%s in the revision %s: %w", file, r.beforeRef, err)
		}
		tree = layer.Tree
	}
	flags := r.Values
	flags.Base, flags.Files = tree, nil
	return helmvalues.Load(ctx, flags)
}

// new returns the side after, and what finds the causes of changes.
func (r *run) new(ctx context.Context, before preview.Side, old, given *helmvalues.Values) (preview.Side, *preview.Causes, error) {
	loaded, err := r.load(ctx, r.Options, "--chart")
	if err != nil {
		return preview.Side{}, nil, err
	}
	values, err := r.merged(ctx, before, loaded.chart, given)
	if err != nil {
		return preview.Side{}, nil, err
	}
	render := func(tree map[string]any) (*release.Release, error) { return loaded.reused.Release(tree, r.render) }
	rendered, err := render(values.Tree)
	if err != nil {
		return preview.Side{}, nil, fmt.Errorf("chart %s does not render with the new values, and the upgrade would fail: %w", loaded.place, err)
	}
	causes := &preview.Causes{
		Before: old.Tree, After: values.Tree, Chart: !sameChart(r.oldChart, loaded.chart), Render: render, For: r.searchTime,
		Place: func(path string) helmvalues.Place {
			if _, has := values.Get(path); !has {
				return old.Place(path)
			}
			return values.Place(path)
		},
	}
	return preview.Side{Title: titleOf(loaded.chart), Release: rendered}, causes, nil
}

// merged returns the values of the upgrade, as helm upgrade makes them from those that are given and those of the release,
// https://github.com/helm/helm/blob/v3.22.0/pkg/action/upgrade.go.
func (r *run) merged(ctx context.Context, before preview.Side, loaded *chart.Chart, given *helmvalues.Values) (*helmvalues.Values, error) {
	stored := before.Release
	if !r.fromRelease() || !r.reuse && !r.resetThenReuse && len(given.Tree) > 0 {
		return given, nil
	}
	if r.reuse {
		defaults, err := chartutil.CoalesceValues(stored.Chart, helmvalues.CopyTree(stored.Config))
		if err != nil {
			return nil, fmt.Errorf("the values of the release: %w", err)
		}
		loaded.Values = defaults
	}
	with := r.Values
	with.Base = stored.Config
	return helmvalues.Load(ctx, with)
}

func titleOf(of *chart.Chart) string { return of.Name() + " " + of.Metadata.Version }

// sameChart reports whether two charts have the same templates and defaults. Helm stores the chart of a release without those that it depends on, and with
// other defaults, so that of a release only its own templates count.
func sameChart(a, b *chart.Chart) bool {
	if a == b {
		return true
	}
	if a.Name() != b.Name() || a.Metadata.Version != b.Metadata.Version || !reflect.DeepEqual(templates(a), templates(b)) {
		return false
	}
	if len(a.Dependencies()) == 0 && len(b.Dependencies()) > 0 {
		return true
	}
	if len(a.Dependencies()) != len(b.Dependencies()) || !reflect.DeepEqual(a.Values, b.Values) {
		return false
	}
	for i, child := range a.Dependencies() {
		if !sameChart(child, b.Dependencies()[i]) {
			return false
		}
	}
	return true
}

func templates(of *chart.Chart) map[string]string {
	found := map[string]string{}
	for _, template := range of.Templates {
		found[template.Name] = string(template.Data)
	}
	return found
}
