package doctorcmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/release"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/netfail"
	"gitops-runtime/validator/checks"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/doctor"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/mode"
	"gitops-runtime/validator/preview"
	"gitops-runtime/validator/report"
	"gitops-runtime/validator/validatecmd"
)

// runtime is a release on a cluster.
type runtime struct {
	options
	cluster validatecmd.Cluster
	kinds   *cluster.Kinds
	stored  *release.Release
	// application installs the runtime; nil for a Helm release.
	application *doctor.Application
	chart       *chart.Chart
	values      *helmvalues.Values
	now         time.Time
	getenv      func(string) string
}

// open connects to the cluster and reads the release.
func (o options) open(ctx context.Context, system validatecmd.System) (*runtime, error) {
	found, namespace, err := system.Connect(ctx, o.Connection)
	if err != nil {
		return nil, err
	}
	if o.Namespace == "" {
		o.Namespace = namespace
	}
	if o.Namespace == "" {
		return nil, errors.New("no namespace: give --namespace NS, the namespace of the release")
	}
	r := &runtime{options: o, cluster: found, kinds: cluster.NewKinds(found), now: system.Now(), getenv: system.Getenv}
	installed, err := Find(ctx, found, o.Options)
	if err != nil {
		return nil, err
	}
	if err := installed.Render(ctx, system, found, o.Options); err != nil {
		return nil, err
	}
	r.stored, r.application, r.Release = installed.Release, installed.Application, installed.Name
	merged, err := chartutil.CoalesceValues(r.stored.Chart, helmvalues.CopyTree(r.stored.Config))
	if err != nil {
		return nil, fmt.Errorf("the values of release %s: %w", o.Release, err)
	}
	r.values = helmvalues.New(merged)
	if _, wrapped := merged[helmchart.Umbrella].(map[string]any); wrapped && r.stored.Chart.Name() != helmchart.Umbrella {
		r.values = r.values.Part(helmchart.Umbrella)
	}
	if !installed.stored {
		r.chart = installed.Chart
		return r, nil
	}
	if directory, err := os.Getwd(); o.Chart != "" || err == nil && helmchart.Find(directory) != "" {
		if r.chart, _, err = o.LoadChart(ctx, system, "--chart"); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// errNoRelease means that Helm stores no release of the name.
type errNoRelease struct{ namespace, name string }

// Error names the command that lists releases.
func (e errNoRelease) Error() string {
	return fmt.Sprintf("there is no release %s in the namespace %s; `helm list --namespace %s` names the releases, and --release chooses one", e.name, e.namespace, e.namespace)
}

// running returns the revision of a release whose objects run: the one that is deployed, or the last one if none is.
func running(ctx context.Context, from preview.ReleaseReader, namespace, name string) (*release.Release, error) {
	all, err := from.Metadata(ctx, "/api/v1/namespaces/"+namespace+"/secrets", "owner=helm,name="+name)
	if err != nil {
		return nil, fmt.Errorf("the revisions of release %s cannot be listed: %w", name, err)
	}
	last, deployed := 0, 0
	for _, one := range all {
		revision, _ := strconv.Atoi(one.Labels["version"])
		last = max(last, revision)
		if one.Labels["status"] == string(release.StatusDeployed) {
			deployed = max(deployed, revision)
		}
	}
	if last == 0 {
		return nil, errNoRelease{namespace, name}
	}
	if deployed > 0 {
		last = deployed
	}
	return preview.Stored(ctx, from, namespace, name, last)
}

// again are the checks of an install that are repeated on a running runtime: those of the cluster, and those that ask the platform, Git and the public URL.
var again = map[bool][]string{
	false: {"MOD400", "MOD700", "CRT100", "CRT200", "CLU100", "CLU500", "CLU600", "CLU700", "CLU900", "MCL100"},
	true:  {"RUN100", "RUN200", "RUN300", "TOK100", "ACC100", "ACC200", "ACC300", "MOD300", "MOD500", "GIT100", "GIT200", "GIT300"},
}

// examine runs all checks.
func (r *runtime) examine(ctx context.Context, version string) report.Report {
	skip := map[string]string{}
	for _, code := range r.Skip {
		skip[strings.TrimSpace(code)] = "--skip"
	}
	table := doctor.Table(doctor.Subject{Cluster: r.cluster, Release: r.stored, Application: r.application, Chart: r.chart, Now: r.now})
	for _, check := range checks.Table(checks.Subject{
		Values: r.values, Namespace: r.Namespace, Release: r.Release, Upgrade: true, Cluster: r.cluster, Now: r.now, Network: r.network,
	}) {
		if slices.Contains(again[false], check.Code) || r.fromHere && slices.Contains(again[true], check.Code) {
			table = append(table, check)
		}
	}
	results := engine.Run(ctx, table, engine.Options{Deadline: r.Timeout, Skip: skip})
	return report.Report{Version: version, Results: results, Target: report.Target{
		Runtime: r.values.String("global.runtime.name", ""), Namespace: r.Namespace, Mode: string(mode.Choose(r.values)), URL: mode.URL(r.values),
		Chart: r.stored.Chart.Metadata.Name + " " + r.stored.Chart.Metadata.Version, Upgrade: true, Running: true,
	}}
}

// network creates HTTP clients with the proxies of the environment, otherwise those of the values.
func (r *runtime) network(authorities []byte) *http.Client {
	setting := func(path, variable string) string {
		if given := r.getenv(variable); given != "" {
			return given
		}
		return r.values.String(path, "")
	}
	return netfail.Client(netfail.Settings{
		HTTPProxy: setting("global.httpProxy", "HTTP_PROXY"), HTTPSProxy: setting("global.httpsProxy", "HTTPS_PROXY"), NoProxy: setting("global.noProxy", "NO_PROXY"),
		Authorities: authorities,
	})
}

// placeOf returns the place of a finding about a context.
func placeOf(context string) helmvalues.Place { return helmvalues.Place{Value: "context " + context} }

func sentence(err error) string {
	return "The runtime cannot be examined: " + strings.TrimSuffix(err.Error(), ".") + "."
}
