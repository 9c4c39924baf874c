package validatecmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/valueschema"
	"gitops-runtime/validator/checks"
)

// probeTime is the time limit for the response of a cluster that no flag selects.
const probeTime = 3 * time.Second

// Validate checks the values, or every file of a batch, and writes the reports.
func Validate(ctx context.Context, options Options, system System) (int, error) {
	outputs, err := ParseOutputs(options.Outputs, system.Color, system.Formats)
	if err != nil {
		return 0, usage(err)
	}
	if err := options.Names(); err != nil {
		return 0, usage(err)
	}
	files, err := expand(options.Batch)
	if err != nil {
		return 0, usage(err)
	}
	options.Values.In = system.In
	subject := checks.Subject{
		Schemas: &valueschema.Cache{}, Release: options.Release, Namespace: options.Namespace, Upgrade: options.Upgrade,
	}
	if len(files) == 0 {
		// This comes first, because values that cannot be read need no cluster.
		if subject.Values, err = options.values(ctx); err != nil {
			return 0, unread(ctx, err)
		}
	}
	if subject.Chart, err = options.chart(ctx, system); err != nil {
		return 0, usage(err)
	}
	if err := options.connect(ctx, system, &subject); err != nil {
		return 0, err
	}
	if subject.Namespace == "" {
		return 0, usage(errors.New("no namespace: give --namespace NS, the namespace of the install"))
	}
	if len(files) > 0 {
		return batch(ctx, files, outputs, subject, options, system)
	}
	subject = withDefaults(subject)
	report, err := run(ctx, subject, options, system)
	if err != nil {
		return 0, err
	}
	report.Near = options.lastFile()
	if err := outputs.Write(report, system.Out); err != nil {
		return 0, broken(err)
	}
	return Verdict(report.Results, options.Strict, false), nil
}

// withDefaults adds the chart's defaults to the values. If the chart has the umbrella chart as a part, the subject becomes that part.
func withDefaults(subject checks.Subject) checks.Subject {
	if subject.Chart == nil {
		return subject
	}
	subject.Values.WithDefaults(subject.Chart)
	if part := subject.Chart.Runtime(); part != nil {
		subject.Chart, subject.Values = part, subject.Values.Part(part.Name)
	}
	return subject
}

// lastFile returns the last values file that is neither standard input nor a URL, "" if there is none.
func (o Options) lastFile() string {
	for _, file := range slices.Backward(o.Values.Files) {
		if strings.TrimSpace(file) != "-" && !strings.Contains(file, "://") {
			return file
		}
	}
	return ""
}

// chart loads the chart that is named, found or built in; nil if there is none and none was named.
func (o Options) chart(ctx context.Context, system System) (*helmchart.Chart, error) {
	name := o.Chart
	if name == "" {
		directory, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("current directory: %w", err)
		}
		name = helmchart.Find(directory)
	}
	found, err := o.load(ctx, name, system)
	if err != nil || found == nil {
		return nil, err
	}
	where := "at " + name
	if name == "" {
		where = "built into this program"
	}
	if o.ChartVersion != "" && o.ChartVersion != found.Version {
		return nil, fmt.Errorf("the chart %s is version %s, not %s; name the right one with --chart", where, found.Version, o.ChartVersion)
	}
	return found, nil
}

// load reads a chart from the named source; without a name, the built-in chart, nil if there is none.
func (o Options) load(ctx context.Context, name string, system System) (*helmchart.Chart, error) {
	if name == "" && system.BuiltIn == nil {
		return nil, nil
	}
	if name == "" {
		return system.BuiltIn(ctx)
	}
	from := helmchart.Source{Name: name, Version: o.ChartVersion, FollowLinks: o.FollowLinks}
	if system.Registries != nil {
		var err error
		if from.Registry, err = system.Registries.Open(system.Getenv); err != nil {
			return nil, err
		}
	}
	loaded, err := helmchart.Load(ctx, from)
	if err != nil {
		return nil, err
	}
	return helmchart.Of(loaded), nil
}

// connect connects to the cluster. A cluster that a flag selects has to exist; that of the default kubeconfig is used only if it responds.
func (o Options) connect(ctx context.Context, system System, subject *checks.Subject) error {
	if o.NoCluster {
		return nil
	}
	named := o.Connection.Kubeconfig != "" || o.Connection.Context != ""
	found, namespace, err := system.Connect(ctx, o.Connection)
	if err != nil {
		if named {
			return usage(err)
		}
		return nil
	}
	if subject.Namespace == "" {
		subject.Namespace = namespace
	}
	if !named {
		ctx, cancel := context.WithTimeout(ctx, probeTime)
		defer cancel()
		if _, err := found.Version(ctx); err != nil {
			return nil
		}
	}
	subject.Cluster = found
	return nil
}
