package validatecmd

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmvalues"
)

// Options are the flags of the main command.
type Options struct {
	Values helmvalues.Options
	// Batch names files, or patterns of files, that are checked separately; empty if the values are those of one install.
	Batch []string
	// Chart is a directory, a .tgz file or an oci:// reference; if empty, the chart is searched in the current directory and its parents.
	Chart string
	// ChartVersion, if not empty, is the required version of the chart, and the version to pull from a registry.
	ChartVersion string
	// FollowLinks reads a chart whose links leave its directory.
	FollowLinks bool
	// Namespace and Release identify the install.
	Namespace, Release string
	Upgrade            bool
	NoCluster          bool
	Connection         Connection
	// Skip contains codes of checks and findings.
	Skip   []string
	Strict bool
	// Outputs are formats, each with "=file" unless it is written to standard output.
	Outputs []string
	// Timeout limits the duration of the whole run.
	Timeout time.Duration
}

// runTime is the default time limit of a run.
const runTime = 45 * time.Second

// Patterns of a namespace, which is a DNS label, and of a release name in Helm.
var (
	label       = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	releaseName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
)

// Names rejects names that Kubernetes or Helm would reject, and a timeout that is not positive.
func (o Options) Names() error {
	if o.Namespace != "" && (len(o.Namespace) > 63 || !label.MatchString(o.Namespace)) {
		return fmt.Errorf("--namespace %q is not a valid namespace: it takes lower-case letters, digits and dashes, begins and ends with a letter or digit, and has 63 characters at most", o.Namespace)
	}
	if len(o.Release) > 53 || !releaseName.MatchString(o.Release) {
		return fmt.Errorf("--release %q is not a valid release name: it takes lower-case letters, digits, dashes and dots, begins and ends with a letter or digit, and has 53 characters at most", o.Release)
	}
	if o.Timeout <= 0 {
		return fmt.Errorf("--timeout %s leaves no time; give a duration such as %s", o.Timeout, runTime)
	}
	return nil
}

// values reads the values. A pipe that nothing comes through ends the wait with the run's timeout.
func (o Options) values(ctx context.Context) (*helmvalues.Values, error) {
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	return helmvalues.Load(ctx, o.Values)
}

func (o *Options) register(flags *pflag.FlagSet, registries Registries, formats []string) {
	o.RegisterInstall(flags, registries)
	flags.BoolVar(&o.Upgrade, "upgrade", false, "the release exists already: check for an upgrade")
	flags.BoolVar(&o.NoCluster, "no-cluster", false, "do not contact a cluster; checks that need one are skipped")
	flags.StringSliceVar(&o.Skip, "skip", nil, "codes of checks or findings to skip")
	flags.BoolVar(&o.Strict, "strict", false, "exit with 4 when there are warnings")
	flags.StringArrayVarP(&o.Outputs, "output", "o", []string{"text"}, "report format "+alternatives(formats)+"; with =FILE into a file (may be repeated)")
	flags.DurationVar(&o.Timeout, "timeout", runTime, "timeout of the whole run; in a batch, of each file")
}

// RegisterInstall adds the flags that describe an install: its values, chart, release and cluster.
func (o *Options) RegisterInstall(flags *pflag.FlagSet, registries Registries) {
	flags.SortFlags = false
	flags.StringSliceVarP(&o.Values.Files, "values", "f", nil, "values file, URL, or - for standard input (may be repeated)")
	flags.StringArrayVar(&o.Values.Set, "set", nil, "set values as helm does (a.b=c)")
	flags.StringArrayVar(&o.Values.SetString, "set-string", nil, "set values as strings")
	flags.StringArrayVar(&o.Values.SetFile, "set-file", nil, "set values from files (a.b=path)")
	flags.StringArrayVar(&o.Values.JSON, "set-json", nil, "set values from JSON (a.b={...})")
	flags.StringArrayVar(&o.Values.SetLiteral, "set-literal", nil, "set a literal value (commas and braces are not parsed)")
	flags.StringVarP(&o.Namespace, "namespace", "n", "", "namespace of the install (default: that of the kubeconfig's context)")
	flags.StringVar(&o.Release, "release", "cf-gitops-runtime", "name of the Helm release")
	flags.StringVar(&o.Chart, "chart", "", "chart directory, .tgz file or oci:// reference (default: charts/gitops-runtime in this or a parent directory, otherwise the built-in chart)")
	flags.BoolVar(&o.FollowLinks, "follow-links", false, "follow links out of the directory of --chart")
	flags.StringVar(&o.ChartVersion, "version", "", "required version of the chart, or version to pull from the registry (default there: the newest release)")
	if registries != nil {
		registries.Register(flags)
	}
	flags.StringVar(&o.Connection.Kubeconfig, "kubeconfig", "", "kubeconfig file")
	flags.StringVar(&o.Connection.Context, "context", "", "context of the kubeconfig")
}

// LoadChart reads the chart that Chart names, with its templates; without a name, the one that is found in the current directory or its parents. The place is
// its name. Error messages name the flag.
func (o Options) LoadChart(ctx context.Context, system System, flag string) (loaded *chart.Chart, place string, err error) {
	place = o.Chart
	if place == "" {
		directory, err := os.Getwd()
		if err != nil {
			return nil, "", fmt.Errorf("current directory: %w", err)
		}
		if place = helmchart.Find(directory); place == "" {
			return nil, "", fmt.Errorf("there is no chart here; name one with %s", flag)
		}
	}
	from := helmchart.Source{Name: place, Version: o.ChartVersion, FollowLinks: o.FollowLinks}
	if system.Registries != nil {
		if from.Registry, err = system.Registries.Open(system.Getenv); err != nil {
			return nil, "", err
		}
	}
	if loaded, err = helmchart.Load(ctx, from); err != nil {
		return nil, place, err
	}
	if o.ChartVersion != "" && o.ChartVersion != loaded.Metadata.Version {
		return nil, place, fmt.Errorf("the chart %s is version %s, not %s; name the right one with %s", place, loaded.Metadata.Version, o.ChartVersion, flag)
	}
	return loaded, place, nil
}

// alternatives joins words for a sentence: "a, b or c".
func alternatives(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
