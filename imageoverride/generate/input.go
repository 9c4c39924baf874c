// Package generate plans the files of image-override for one chart: it renders, locates, solves, proves and returns what to write. Only Result.Write
// writes files.
package generate

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/registry"
)

// Options are the inputs of a run.
type Options struct {
	// Chart is a chart directory, an archive or an oci:// reference. Directories may have file:// dependencies that have not been built.
	Chart string
	// Registries contacts the registry of an oci:// reference.
	Registries registry.Access
	// FollowLinks reads a chart whose links leave its directory.
	FollowLinks bool
	// Registry is the private registry, host[:port][/path].
	Registry string
	// Strategy determines the paths of images there; mapping.HostPrefix if empty.
	Strategy mapping.Strategy
	// Table maps source hosts to a separate target prefix.
	Table map[string]string
	// Values are the user's values of all scenarios.
	Values Values
	// Scenarios are ways of installing the chart: their files override those of Values, and its flags override them. Without any there is one
	// scenario: Values alone.
	Scenarios []Scenario
	// Everything adds to each scenario one with all compatible switches on.
	Everything bool
	// Digests are the digests to write into values, by source reference; nil writes none.
	Digests map[string]string
	// Accept names places ("Kind/name path") or texts, * for any text, that may be outside, unreadable, suspected or changed.
	Accept []string
	// ExtraImages are mirrored in addition to the images of the chart.
	ExtraImages []string
	// Settings are those of the render.
	Settings chartrender.Settings
	// Loaded is called with the chart when it has been read; may be nil.
	Loaded func(*chart.Chart)
	// Enough reports whether so much time has passed that no further values shall be tried; may be nil.
	Enough func() bool
	// Progress is called at the beginning of each step of a run; may be nil.
	Progress func(step string)
	// text is the content of standard input, after it was read.
	text []byte
	// loaded is the chart, if it was read before.
	loaded *chart.Chart
	// Earlier is the folder of an earlier run, whose comments and list of sources are kept; none if empty.
	Earlier string
}

// mapper returns the mapping of sources to targets, after setting the default strategy.
func (o *Options) mapper() (mapping.Mapper, error) {
	o.Strategy = cmp.Or(o.Strategy, mapping.HostPrefix)
	return mapping.New(o.Registry, o.Strategy, o.Table)
}

// step reports the beginning of a step.
func (o Options) step(format string, args ...any) {
	if o.Progress != nil {
		o.Progress(fmt.Sprintf(format, args...))
	}
}

// load returns the chart, which it reads unless it was read before.
func (o Options) load(ctx context.Context) (*chart.Chart, error) {
	if o.loaded != nil {
		return o.loaded, nil
	}
	read, err := helmchart.Load(ctx, helmchart.Source{Name: o.Chart, Registry: o.Registries, FollowLinks: o.FollowLinks})
	if err == nil && o.Loaded != nil {
		o.Loaded(read)
	}
	return read, err
}

// Scenario is a named set of values.
type Scenario struct {
	Name   string
	Values Values
}

// Values are the sources of values, in the order in which Helm reads them.
type Values struct {
	// Files are paths of YAML files, URLs, or "-" for In.
	Files []string
	// The others are "path=value" texts as with Helm's flags of these names.
	JSON, Set, SetString, SetFile, SetLiteral []string
	// Tree is overridden by everything else.
	Tree map[string]any
	// In is standard input; nil if there is none.
	In io.Reader
}

// ParseScenario reads "name=file.yaml[,file.yaml...]".
func ParseScenario(text string) (Scenario, error) {
	name, files, found := strings.Cut(text, "=")
	if !found || name == "" || files == "" {
		return Scenario{}, fmt.Errorf("--scenario %q: write name=file.yaml[,file.yaml]", text)
	}
	return Scenario{Name: name, Values: Values{Files: strings.Split(files, ",")}}, nil
}
