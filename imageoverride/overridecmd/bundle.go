package overridecmd

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"gitops-runtime/imageoverride/emit"
	"gitops-runtime/imageoverride/generate"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/mirror"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/outfile"
	"gitops-runtime/internal/registry"
)

// bundling are the flags of the command bundle.
type bundling struct {
	transferFlags
	chart, folder, archive string
	extra                  string
	values                 []string
	bundler                mirror.Bundler
}

func bundleCommand(streams Streams) *cobra.Command {
	var b bundling
	command := &cobra.Command{
		Use:   "bundle image-mirror.csv --chart CHART [-f values.yaml] -o bundle [--archive bundle.tar]",
		Short: "Write the images of a mirror table, the chart and its values into a folder or an archive, for a network without access",
		Args:  needs(tableArgument),
		RunE: func(command *cobra.Command, args []string) error {
			streams.transfer()
			pairs, err := readPairs(args[0])
			if err != nil {
				return err
			}
			return b.run(command.Context(), streams, pairs)
		},
	}
	flags := command.Flags()
	flags.SortFlags = false
	flags.StringVar(&b.chart, "chart", "", "chart to add: a directory, an archive or oci://host/path[:version]")
	flags.StringSliceVarP(&b.values, "values", "f", nil, "values file to add, as for generate (may be repeated)")
	flags.StringArrayVar(&b.bundler.Platforms, "platform", nil, "platform to keep, such as linux/amd64; all by default (may be repeated)")
	flags.BoolVar(&b.bundler.Referrers, "referrers", false, "include signatures, SBOMs and other referrers of the images")
	flags.StringVar(&b.extra, "extra-images", "", "file with additional images and OCI artifacts, one per line")
	b.transferFlags.register(flags)
	flags.StringVarP(&b.folder, "output", "o", "bundle", "folder of the bundle; run again to go on after an interruption")
	flags.StringVar(&b.archive, "archive", "", "also write the bundle into this file")
	b.registries.Register(flags)
	return command
}

func (b bundling) run(ctx context.Context, streams Streams, pairs []mapping.Pair) error {
	access, err := access(&b.registries)
	if err != nil {
		return err
	}
	if err := b.apply(&access); err != nil {
		return err
	}
	extra, err := readImages(b.extra)
	if err != nil {
		return err
	}
	for _, text := range extra {
		image, err := mapping.Parse(text)
		if err != nil {
			return err
		}
		pairs = append(pairs, mapping.Pair{Source: image.Pinned()})
	}
	var sources []string
	for _, pair := range pairs {
		sources = append(sources, pair.Source)
	}
	slices.Sort(sources)
	contents, err := b.addChart(ctx, access)
	if err != nil {
		return err
	}
	progress, waits := newProgress(streams.Out), newWaits(streams.Err)
	access.Waiting = waits.report
	b.bundler.Access, b.bundler.Jobs, b.bundler.Report = access, b.jobs, progress.report
	err = b.bundler.Write(ctx, b.folder, slices.Compact(sources), contents)
	progress.finish()
	waits.finish()
	if err != nil {
		return err
	}
	place := b.folder
	if b.archive != "" {
		if err := mirror.Archive(b.folder, b.archive); err != nil {
			return err
		}
		place = b.archive
	}
	p := printer{out: streams.Out}
	p.line("%d images in %s; every blob was read again and has its digest", len(slices.Compact(sources)), place)
	p.line("behind the gap: image-override load %s --registry HOST[/PATH]", place)
	return p.err
}

// addChart writes the chart and the values files into the bundle.
func (b bundling) addChart(ctx context.Context, access registry.Access) (mirror.Contents, error) {
	var contents mirror.Contents
	files := map[string][]byte{}
	if b.chart != "" {
		loaded, err := helmchart.Load(ctx, helmchart.Source{Name: b.chart, Registry: access})
		if err != nil {
			return contents, err
		}
		contents.Chart = path.Join("charts", loaded.Name()+"-"+loaded.Metadata.Version+".tgz")
		if files[contents.Chart], err = mirror.PackChart(loaded); err != nil {
			return contents, err
		}
	}
	for i, file := range b.values {
		text, err := os.ReadFile(file)
		if err != nil {
			return contents, usage{fmt.Errorf("values file %w", err)}
		}
		name := path.Join("values", fmt.Sprintf("%02d-%s", i, filepath.Base(file)))
		contents.Values, files[name] = append(contents.Values, name), text
	}
	for name, data := range files {
		to := filepath.Join(b.folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return contents, fmt.Errorf("bundle %s cannot be created: %w", b.folder, err)
		}
		if err := outfile.Write(to, data, 0o644); err != nil {
			return contents, err
		}
	}
	return contents, nil
}

// loading are the flags of the command load.
type loading struct {
	transferFlags
	flags  chartFlags
	folder string
}

func loadCommand(streams Streams) *cobra.Command {
	l := loading{flags: chartFlags{extend: streams.Extend}}
	command := &cobra.Command{
		Use:   "load BUNDLE --registry HOST[/PATH] -o out",
		Short: "Push a bundle into a registry, and write values, a mirror table and a lock file for it",
		Args:  needs(bundleArgument),
		RunE: func(command *cobra.Command, args []string) error {
			streams.transfer()
			options, err := l.flags.complete(command, "")
			if err != nil {
				return err
			}
			if err := l.apply(&options.Registries); err != nil {
				return err
			}
			return l.run(command.Context(), streams, args[0], options)
		},
	}
	l.flags.register(command)
	l.transferFlags.register(command.Flags())
	command.Flags().StringVarP(&l.folder, "output", "o", "out", "output folder")
	return command
}

func (l loading) run(ctx context.Context, streams Streams, bundle string, options generate.Options) error {
	mapper, err := mapping.New(options.Registry, options.Strategy, options.Table)
	if err != nil {
		return usage{err}
	}
	if err := os.MkdirAll(l.folder, 0o755); err != nil {
		return fmt.Errorf("output folder %s cannot be created: %w", l.folder, err)
	}
	if info, err := os.Stat(bundle); err == nil && !info.IsDir() {
		unpacked := filepath.Join(l.folder, "bundle")
		if err := mirror.Unpack(bundle, unpacked); err != nil {
			return err
		}
		bundle = unpacked
	}
	contents, err := mirror.OpenBundle(bundle)
	if err != nil {
		return err
	}
	progress, waits := newProgress(streams.Out), newWaits(streams.Err)
	options.Registries.Waiting = waits.report
	locked, err := mirror.Loader{Access: options.Registries, Jobs: l.jobs, Mapper: mapper, Report: progress.report}.Load(ctx, bundle, contents)
	progress.finish()
	waits.finish()
	if err != nil {
		return err
	}
	if err := mirror.WriteLock(filepath.Join(l.folder, "image-lock.json"), locked); err != nil {
		return err
	}
	p := printer{out: streams.Out}
	p.line("%d images at %s, locked in %s", len(locked), options.Registry, filepath.Join(l.folder, "image-lock.json"))
	if p.err != nil || contents.Chart == "" {
		return l.writeTable(locked, p.err)
	}
	return l.generate(ctx, &p, bundle, contents, locked, options)
}

// generate writes the values of the chart of a bundle for the new registry.
func (l loading) generate(ctx context.Context, p *printer, bundle string, contents mirror.Contents, locked []mirror.Locked, options generate.Options) error {
	options.Chart, options.Earlier = filepath.Join(bundle, contents.Chart), l.folder
	files := options.Values.Files
	options.Values.Files = nil
	for _, file := range contents.Values {
		options.Values.Files = append(options.Values.Files, filepath.Join(bundle, file))
	}
	options.Values.Files = append(options.Values.Files, files...)
	result, err := generate.Run(ctx, options)
	if err != nil {
		return err
	}
	written, err := result.Write(l.folder)
	if err != nil {
		return err
	}
	absent := 0
	for _, pair := range result.Mirror {
		if !slices.ContainsFunc(locked, func(one mirror.Locked) bool { return one.Source == pair.Source }) {
			absent++
			p.line("not in the bundle: %s", pair.Source)
		}
	}
	p.line("chart %s", options.Chart)
	if p.err != nil {
		return p.err
	}
	if err := report(p.out, result, written, false); err != nil || absent == 0 {
		return err
	}
	return leftOut{fmt.Sprintf("%d images of the chart are not in the bundle; bundle the mirror table that generate writes for these values", absent)}
}

// writeTable writes the mirror table of a bundle without a chart.
func (l loading) writeTable(locked []mirror.Locked, failed error) error {
	if failed != nil {
		return failed
	}
	var pairs []mapping.Pair
	for _, one := range locked {
		pairs = append(pairs, mapping.Pair{Source: one.Source, Target: one.Target})
	}
	table, err := emit.Mirror(pairs)
	if err != nil {
		return err
	}
	return outfile.Write(filepath.Join(l.folder, generate.MirrorFile), table, 0o644)
}
