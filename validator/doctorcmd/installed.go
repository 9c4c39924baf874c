package doctorcmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/release"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmrender"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/doctor"
	"gitops-runtime/validator/preview"
	"gitops-runtime/validator/validatecmd"
)

// Installed is a runtime as Helm or Argo CD installed it. Without a Helm release, Release has the values and the name and version of the chart, and no
// objects until Render is called.
type Installed struct {
	*release.Release
	// Application is the Application that installs the runtime; nil for a Helm release.
	Application *doctor.Application
	// stored means that Helm has stored the release, and chart is the reference that the Application names.
	stored bool
	chart  string
}

// Find returns the runtime of a namespace: the Helm release; without one, what the values of the user say, or else the Application of Argo CD on this
// cluster that has the Deployment of app-proxy.
func Find(ctx context.Context, from validatecmd.Cluster, o validatecmd.Options) (*Installed, error) {
	var none errNoRelease
	stored, err := running(ctx, from, o.Namespace, o.Release)
	switch {
	case err == nil:
		return &Installed{Release: stored, stored: true}, nil
	case !errors.As(err, &none):
		return nil, err
	}
	of, err := installing(ctx, from, o.Namespace)
	if err != nil {
		return nil, err
	}
	if of == nil && len(o.Values.Files) == 0 {
		return nil, fmt.Errorf("%w. If Argo CD on another cluster or helm template has installed the runtime, give --values with its values, --chart and --version with its chart", none)
	}
	made := &Installed{Release: &release.Release{Name: o.Release, Namespace: o.Namespace, Version: 1, Info: &release.Info{Status: release.StatusDeployed}}}
	made.Chart = &chart.Chart{Metadata: &chart.Metadata{Name: helmchart.Umbrella, Version: o.ChartVersion}}
	given, err := helmvalues.Load(ctx, o.Values)
	if err != nil {
		return nil, err
	}
	made.Config = given.Tree
	if of != nil {
		err = made.by(ctx, *of, len(o.Values.Files) > 0)
	}
	return made, err
}

// argoApplication is an Application of Argo CD, reduced to what a chart is installed with,
// https://argo-cd.readthedocs.io/en/stable/user-guide/application-specification/.
type argoApplication struct {
	Metadata struct{ Name, Namespace string }
	Spec     struct {
		Destination struct{ Server, Name string }
		Source      *argoSource
		Sources     []argoSource
	}
	Status struct {
		Resources []struct{ Group, Kind, Namespace, Name string }
		Sync      struct {
			Revision  string
			Revisions []string
		}
		OperationState struct{ Phase, Message string }
	}
}

type argoSource struct {
	RepoURL, Chart, Path, TargetRevision string
	Helm                                 struct {
		ReleaseName, Values string
		ValuesObject        map[string]any
		ValueFiles          []string
		FileParameters      []struct{ Name string }
		Parameters          []struct {
			Name, Value string
			ForceString bool
		}
	}
}

// installing returns the Application on this cluster that has the Deployment of app-proxy in a namespace; nil if there is none.
func installing(ctx context.Context, from validatecmd.Cluster, namespace string) (*argoApplication, error) {
	all, err := from.List(ctx, "/apis/argoproj.io/v1alpha1/applications", url.Values{"limit": {"20"}})
	switch {
	case cluster.NotFound(err) || cluster.Forbidden(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("the Applications that may have installed the runtime: %w", err)
	}
	for _, text := range all {
		var one argoApplication
		if err := json.Unmarshal(text, &one); err != nil {
			return nil, fmt.Errorf("an Application: %w", err)
		}
		to := one.Spec.Destination
		if to.Name != "in-cluster" && to.Server != "https://kubernetes.default.svc" {
			continue
		}
		for _, each := range one.Status.Resources {
			if each.Group == "apps" && each.Kind == "Deployment" && each.Name == AppProxy && each.Namespace == namespace {
				return &one, nil
			}
		}
	}
	return nil, nil
}

// by completes the runtime with what an Application says: parameters override values, and these the files of values, which are in Git.
func (i *Installed) by(ctx context.Context, of argoApplication, filesGiven bool) error {
	name := of.Metadata.Namespace + "/" + of.Metadata.Name
	i.Application = &doctor.Application{Namespace: of.Metadata.Namespace, Name: of.Metadata.Name, Phase: of.Status.OperationState.Phase, Message: of.Status.OperationState.Message}
	sources, revisions := of.Spec.Sources, of.Status.Sync.Revisions
	if of.Spec.Source != nil && len(sources) == 0 {
		sources, revisions = []argoSource{*of.Spec.Source}, []string{of.Status.Sync.Revision}
	}
	at := slices.IndexFunc(sources, func(each argoSource) bool { return cmp.Or(each.Chart, path.Base(each.Path)) == helmchart.Umbrella })
	if at < 0 && len(sources) == 1 {
		at = 0 // a chart around this one
	}
	if at < 0 {
		return fmt.Errorf("the Application %s installs the runtime, and none of its sources is the chart %s: give --values with its values, and --chart with its chart", name, helmchart.Umbrella)
	}
	source, helm := sources[at], sources[at].Helm
	if len(helm.ValueFiles)+len(helm.FileParameters) > 0 && !filesGiven {
		return fmt.Errorf("the Application %s installs the runtime with values from files in Git (%s): check them out, and give each with --values", name, cleantext.Line(strings.Join(helm.ValueFiles, ", ")))
	}
	given := helmvalues.Options{Base: i.Config}
	if text := []byte(helm.Values); len(text) > 0 || helm.ValuesObject != nil {
		if helm.ValuesObject != nil {
			var err error
			if text, err = yaml.Marshal(helm.ValuesObject); err != nil {
				return fmt.Errorf("the values of the Application %s: %w", name, err)
			}
		}
		given.Files, given.Text = []string{"-"}, text
	}
	for _, each := range helm.Parameters {
		into := &given.Set
		if each.ForceString {
			into = &given.SetString
		}
		*into = append(*into, each.Name+"="+escaped(each.Value))
	}
	values, err := helmvalues.Load(ctx, given)
	if err != nil {
		return fmt.Errorf("the values of the Application %s: %w", name, err)
	}
	i.Config, i.Name = values.Tree, cmp.Or(helm.ReleaseName, of.Metadata.Name)
	if source.Chart != "" {
		i.Chart.Metadata.Name, i.Chart.Metadata.Version = source.Chart, source.TargetRevision
		if at < len(revisions) && revisions[at] != "" { // of a range
			i.Chart.Metadata.Version = revisions[at]
		}
		if i.chart = strings.TrimPrefix(source.RepoURL, "oci://") + "/" + source.Chart; !strings.Contains(i.chart, "://") {
			i.chart = "oci://" + i.chart
		}
	}
	return nil
}

// escaped returns the value of a parameter as Argo CD gives it to helm, cleanSetParameters in util/helm/cmd.go of argo-cd v3.4.13.
func escaped(value string) string {
	if strings.HasPrefix(value, "{") && strings.HasSuffix(value, "}") {
		return value
	}
	return strings.ReplaceAll(strings.ReplaceAll(value, `\,`, ","), ",", `\,`)
}

// Render adds the objects of a runtime that is not a Helm release: its chart is rendered as for this cluster.
func (i *Installed) Render(ctx context.Context, system validatecmd.System, from validatecmd.Cluster, o validatecmd.Options) error {
	if i.stored {
		return nil
	}
	if o.Chart == "" && i.chart != "" {
		o.Chart, o.ChartVersion = i.chart, cmp.Or(o.ChartVersion, i.Chart.Metadata.Version)
	}
	if o.Chart == "" || strings.Contains(o.Chart, "://") && !helmchart.InRegistry(o.Chart) {
		return errors.New("the chart of the runtime is not in a registry for OCI artifacts: fetch it with helm pull or Git, and give it with --chart")
	}
	loaded, _, err := o.LoadChart(ctx, system, "--chart")
	if err != nil {
		return fmt.Errorf("the chart of the runtime cannot be read; give it with --chart: %w", err)
	}
	version, err := from.Version(ctx)
	if err != nil {
		return fmt.Errorf("the version of the cluster: %w", err)
	}
	served, err := preview.Served(ctx, from)
	if err != nil {
		return fmt.Errorf("what the cluster serves: %w", err)
	}
	made, err := helmrender.New(loaded).Release(i.Config, helmrender.Options{Name: i.Name, Namespace: i.Namespace, KubeVersion: version, APIVersions: served})
	if err != nil {
		return fmt.Errorf("the chart %s cannot be rendered with the values of the runtime: %w", o.Chart, err)
	}
	made.Info.Status, made.Config = release.StatusDeployed, i.Config
	i.Release = made
	return nil
}
