package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"gitops-runtime/imageoverride/emit"
	"gitops-runtime/imageoverride/fault"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/mirror"
)

// registryFlags are the flags of all commands that speak to registries.
type registryFlags struct {
	access  mirror.Access
	rewrite []string
	jobs    int
}

func (f *registryFlags) register(command *cobra.Command) {
	flags := command.Flags()
	flags.IntVar(&f.jobs, "jobs", 4, "images worked on at a time")
	flags.StringArrayVar(&f.access.PlainHTTP, "plain-http", nil, "registry host[:port] to speak to without TLS; may be repeated")
	flags.StringArrayVar(&f.rewrite, "reach", nil, "reach a registry under another name from here, host=host; may be repeated")
	flags.StringVar(&f.access.CAFile, "ca-file", "", "certificate authorities in PEM form, besides the system's")
}

func (f *registryFlags) complete() (mirror.Access, error) {
	access := f.access
	access.Rewrite = map[string]string{}
	for _, text := range f.rewrite {
		from, to, found := strings.Cut(text, "=")
		if !found || from == "" || to == "" {
			return access, usage{fmt.Errorf("--reach %q: write host=host", text)}
		}
		access.Rewrite[from] = to
	}
	if f.jobs < 1 {
		return access, usage{fmt.Errorf("--jobs %d: write a number of at least 1", f.jobs)}
	}
	return access, nil
}

func readPairs(path string) ([]mapping.Pair, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("mirror table %s: %s; generate writes it", path, fault.File(err))
	}
	defer func() { _ = file.Close() }()
	return emit.ReadMirror(path, file)
}

// tableCommand is a command on a mirror table: it has the registries' flags,
// and work is given the table when both are in order.
func tableCommand(use, short string, work func(context.Context, table) error) *cobra.Command {
	var flags registryFlags
	command := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  needs(tableArgument),
		RunE: func(command *cobra.Command, args []string) error {
			access, err := flags.complete()
			if err != nil {
				return err
			}
			pairs, err := readPairs(args[0])
			if err != nil {
				return err
			}
			return work(command.Context(), table{path: args[0], pairs: pairs, access: access, jobs: flags.jobs})
		},
	}
	flags.register(command)
	return command
}

// table is a mirror table and how to reach its registries.
type table struct {
	path   string
	pairs  []mapping.Pair
	access mirror.Access
	jobs   int
}

func mirrorCommand(streams Streams) *cobra.Command {
	var journal string
	command := tableCommand("mirror image-mirror.csv", "Copy the images of a mirror table, all platforms; run again to go on after an interruption",
		func(ctx context.Context, t table) error {
			if journal == "" {
				journal = t.path + ".journal"
			}
			return t.copy(ctx, streams, journal)
		})
	command.Flags().StringVar(&journal, "journal", "", "file that remembers finished copies; the table's name with .journal by default")
	return command
}

func (t table) copy(ctx context.Context, streams Streams, path string) error {
	journal, err := mirror.OpenJournal(path)
	if err != nil {
		return err
	}
	progress := newProgress(streams.Out)
	copier := mirror.Copier{Access: t.access, Journal: journal, Jobs: t.jobs, Report: progress.report}
	err = copier.Copy(ctx, t.pairs)
	progress.finish()
	return errors.Join(err, journal.Close())
}

func lockCommand(streams Streams) *cobra.Command {
	var output string
	command := tableCommand("lock image-mirror.csv -o image-lock.json", "Write the digests of all source images down, per platform",
		func(ctx context.Context, t table) error {
			locked, err := mirror.Lock(ctx, t.access, t.pairs, t.jobs)
			if err != nil {
				return err
			}
			if err := mirror.WriteLock(output, locked); err != nil {
				return err
			}
			_, err = fmt.Fprintf(streams.Out, "%d images locked in %s\n", len(locked), output)
			return err
		})
	command.Flags().StringVarP(&output, "output", "o", "image-lock.json", "file to write")
	return command
}

func verifyMirrorCommand(streams Streams) *cobra.Command {
	var lock string
	command := tableCommand("verify-mirror image-mirror.csv [--lock image-lock.json]", "Check that every target exists with the digest and the platforms of its source",
		func(ctx context.Context, t table) error {
			locked, err := t.expected(ctx, lock)
			if err != nil {
				return err
			}
			defects, err := mirror.Check(ctx, t.access, locked, t.jobs)
			if err != nil {
				return err
			}
			p := printer{out: streams.Out}
			for _, defect := range defects {
				p.line("%s: %s", defect.Pair.Target, defect.Reason)
			}
			p.line("%d images checked, %d wrong", len(locked), len(defects))
			if p.err == nil && len(defects) > 0 {
				return leftOut{fmt.Sprintf("%d images of %s are not in order; run mirror again", len(defects), t.path)}
			}
			return p.err
		})
	command.Flags().StringVar(&lock, "lock", "", "digests to expect, as lock wrote them; without it the sources are asked")
	return command
}

// expected is what the targets should be: from a lock file, or from the sources.
func (t table) expected(ctx context.Context, path string) ([]mirror.Locked, error) {
	if path == "" {
		return mirror.Lock(ctx, t.access, t.pairs, t.jobs)
	}
	all, err := mirror.ReadLock(path)
	if err != nil {
		return nil, err
	}
	bySource := map[string]mirror.Locked{}
	for _, one := range all {
		bySource[one.Source] = one
	}
	locked := make([]mirror.Locked, 0, len(t.pairs))
	for _, pair := range t.pairs {
		one, ok := bySource[pair.Source]
		if !ok {
			return nil, fmt.Errorf("--lock %s does not know %s; make it again with lock", path, pair.Source)
		}
		one.Target = pair.Target
		locked = append(locked, one)
	}
	return locked, nil
}
