package overridecmd

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/generate"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/internal/cli"
	"gitops-runtime/internal/outfile"
	"gitops-runtime/internal/process"
	"gitops-runtime/internal/registry"
)

// chartFlags are the flags of all commands that render a chart.
type chartFlags struct {
	options    generate.Options
	registries registry.Flags
	strategy   string
	table      []string
	scenarios  []string
	extra      string
	// extend adds to the CPU time that the process may use; may be nil.
	extend func(time.Duration)
}

func (f *chartFlags) register(command *cobra.Command) {
	flags := command.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.options.Registry, "registry", "", "private registry, host[:port][/path]")
	flags.StringVar(&f.strategy, "strategy", string(mapping.HostPrefix), "where images go: "+strings.Join(mapping.Strategies(), ", "))
	cli.Complete(command, "strategy", mapping.Strategies())
	flags.StringArrayVar(&f.table, "map", nil, "prefix for one source host, host=registry[/path] (may be repeated)")
	flags.StringSliceVarP(&f.options.Values.Files, "values", "f", nil, "values file, URL, or - for standard input (may be repeated)")
	flags.StringArrayVar(&f.options.Values.Set, "set", nil, "set values as helm does (a.b=c)")
	flags.StringArrayVar(&f.options.Values.SetString, "set-string", nil, "set values as strings")
	flags.StringArrayVar(&f.options.Values.SetFile, "set-file", nil, "set values from files (a.b=path)")
	flags.StringArrayVar(&f.options.Values.JSON, "set-json", nil, "set values from JSON (a.b={...})")
	flags.StringArrayVar(&f.options.Values.SetLiteral, "set-literal", nil, "set a literal value (commas and braces are not parsed)")
	flags.StringArrayVar(&f.scenarios, "scenario", nil, "scenario, name=file.yaml[,file.yaml]; overrides --values and is overridden by --set (may be repeated; the result fits all)")
	flags.BoolVar(&f.options.Everything, "everything", false, "add to each scenario one with every compatible \"enabled\" switch on")
	flags.StringVar(&f.options.Settings.KubeVersion, "kube-version", "", "Kubernetes version for templates (default "+chartrender.DefaultKubeVersion+", or the newest that the chart allows)")
	flags.StringArrayVar(&f.options.Settings.APIVersions, "api-versions", nil, "additional API version for templates, group/version/Kind (may be repeated)")
	flags.StringVar(&f.options.Settings.Release, "release-name", "", "release name for templates")
	flags.BoolVar(&f.options.FollowLinks, "follow-links", false, "follow links out of the chart's directory")
	flags.StringVarP(&f.options.Settings.Namespace, "namespace", "n", "", "namespace for templates")
	flags.DurationVar(&f.options.Settings.RenderTime, "render-time", 0, "CPU time that one render may take (default: all work on a scenario together may take "+RunTime.String()+", with large templates more)")
	flags.StringArrayVar(&f.options.Accept, "accept", nil, "a place (\"Kind/name path\") or text, * for any text, that may be outside, unread, suspected or changed (may be repeated)")
	f.registries.Register(flags)
	flags.StringVar(&f.extra, "extra-images", "", "file with additional images to mirror, one per line")
}

// complete converts the flags of a command to options.
func (f *chartFlags) complete(command *cobra.Command, chart string) (generate.Options, error) {
	options := f.options
	options.Chart, options.Strategy, options.Values.In = chart, mapping.Strategy(f.strategy), command.InOrStdin()
	for _, text := range f.table {
		host, prefix, found := strings.Cut(text, "=")
		if !found || host == "" {
			return options, usage{fmt.Errorf("--map %q: write host=registry[/path]", text)}
		}
		if options.Table == nil {
			options.Table = map[string]string{}
		}
		options.Table[host] = prefix
	}
	f.allow(&options)
	if _, err := mapping.New(options.Registry, options.Strategy, options.Table); err != nil {
		return options, usage{err}
	}
	if err := options.Settings.Check(); err != nil {
		return options, usage{err}
	}
	for _, text := range f.scenarios {
		scenario, err := generate.ParseScenario(text)
		if err != nil {
			return options, usage{err}
		}
		options.Scenarios = append(options.Scenarios, scenario)
	}
	var err error
	if options.Registries, err = access(&f.registries); err != nil {
		return options, err
	}
	options.ExtraImages, err = readImages(f.extra)
	return options, err
}

// RunTime is the CPU time that a run with one scenario may take, unless the user sets a limit for each render. Templates of more than smallTemplates bytes, with
// those of subcharts, may take sizeTime for each further MiB, up to largeTime: the published chart of the runtime has several, and Helm renders it in five seconds.
const (
	RunTime        = 4500 * time.Millisecond
	sizeTime       = 20 * time.Second
	largeTime      = time.Minute
	smallTemplates = 256 << 10
)

// ofSize returns the CPU time that a scenario of a chart may take in addition to RunTime.
func ofSize(c *chart.Chart) time.Duration {
	size := 0
	for all := []*chart.Chart{c}; len(all) > 0; all = all[1:] {
		for _, template := range all[0].Templates {
			size += len(template.Data)
		}
		all = append(all, all[0].Dependencies()...)
	}
	return min(max(0, time.Duration(size-smallTemplates)*sizeTime>>20), largeTime)
}

// allow extends the CPU time of the process: by that of renders if the user sets their limit, otherwise by RunTime for each further scenario, and by the size of
// the chart.
func (f *chartFlags) allow(options *generate.Options) {
	scenarios := max(len(f.scenarios), 1)
	if options.Everything { // one more for each, and many renders to find the switches that go together
		scenarios *= 6
	}
	options.Settings.Extend = f.extend
	if f.extend != nil && options.Settings.RenderTime == 0 {
		f.extend(time.Duration(scenarios-1) * RunTime)
		all := time.Duration(scenarios) * RunTime
		options.Loaded = func(c *chart.Chart) {
			all += time.Duration(scenarios) * ofSize(c)
			f.extend(time.Duration(scenarios) * ofSize(c))
		}
		options.Enough = func() bool { return process.CPUTime() > all/2 }
	}
}

// mostExtra is the size of a file of images that is read, in bytes.
const mostExtra = 4 << 20

// readImages reads a file of images, one per line; # starts a comment.
func readImages(path string) ([]string, error) {
	if path == "" {
		return nil, nil
	}
	listed, err := outfile.Read(path, mostExtra)
	if err != nil {
		return nil, fmt.Errorf("--extra-images %s: %s", path, outfile.Reason(err))
	}
	var images []string
	scanner := bufio.NewScanner(bytes.NewReader(listed))
	for line := 1; scanner.Scan(); line++ {
		text, _, _ := strings.Cut(scanner.Text(), "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if _, err := mapping.Parse(text); err != nil {
			return nil, fmt.Errorf("--extra-images %s:%d: %w; write one image per line", path, line, err)
		}
		images = append(images, text)
	}
	if err := scanner.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("--extra-images %s: a line is longer than %d KiB; write one image per line", path, bufio.MaxScanTokenSize>>10)
	} else if err != nil {
		return nil, fmt.Errorf("--extra-images %s: %s", path, outfile.Reason(err))
	}
	return images, nil
}
