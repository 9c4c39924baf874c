package overridecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gitops-runtime/imageoverride/emit"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/mirror"
	"gitops-runtime/internal/outfile"
	"gitops-runtime/internal/registry"
)

// tableFlags are the flags of all commands on a mirror table.
type tableFlags struct {
	transferFlags
	referrers bool
}

// transferFlags are the flags of all commands that transfer images.
type transferFlags struct {
	registries registry.Flags
	jobs       int
	rate       float64
}

func (f *transferFlags) register(flags *pflag.FlagSet) {
	flags.IntVar(&f.jobs, "jobs", 4, "images processed in parallel, besides those that wait for a registry")
	flags.Float64Var(&f.rate, "rate", 0, "maximum number of requests in a second to one registry; 0 for no limit")
}

// apply checks the flags, and adds the rate to the settings of registries.
func (f *transferFlags) apply(to *registry.Access) error {
	if f.jobs < 1 {
		return usage{fmt.Errorf("--jobs %d: write a number of at least 1", f.jobs)}
	}
	if f.rate < 0 || math.IsNaN(f.rate) {
		return usage{fmt.Errorf("--rate %v: write a number of at least 0", f.rate)}
	}
	to.Rate = f.rate
	return nil
}

func (f *tableFlags) register(command *cobra.Command) {
	command.Flags().SortFlags = false
	f.transferFlags.register(command.Flags())
	command.Flags().BoolVar(&f.referrers, "referrers", false, "include signatures, SBOMs and other referrers of the images")
	f.registries.Register(command.Flags())
}

func (f *tableFlags) complete() (registry.Access, error) {
	settings, err := access(&f.registries)
	if err != nil {
		return settings, err
	}
	err = f.apply(&settings)
	return settings, err
}

// access returns the registry settings of the flags.
func access(flags *registry.Flags) (registry.Access, error) {
	access, err := flags.Access(os.Getenv)
	if err != nil {
		return access, usage{err}
	}
	return access, nil
}

func readPairs(path string) ([]mapping.Pair, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("mirror table %s: %s; it is a file that generate writes", path, outfile.Reason(err))
	}
	defer func() { _ = file.Close() }()
	return emit.ReadMirror(path, io.LimitReader(file, 16<<20))
}

// transferTime is the CPU time that a transfer of images may use.
const transferTime = 24 * time.Hour

// tableCommand returns a command on a mirror table: it has the registry flags,
// and calls work with the table if both are valid.
func tableCommand(streams Streams, use, short string, work func(context.Context, table) error) *cobra.Command {
	var flags tableFlags
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
			streams.transfer()
			waits := newWaits(streams.Err)
			access.Waiting = waits.report
			defer waits.finish()
			return work(command.Context(), table{path: args[0], pairs: pairs, access: access, jobs: flags.jobs, referrers: flags.referrers})
		},
	}
	flags.register(command)
	return command
}

// table is a mirror table with the access to its registries.
type table struct {
	path   string
	pairs  []mapping.Pair
	access registry.Access
	jobs   int
	// referrers includes signatures, SBOMs and other referrers of the images.
	referrers bool
}

func mirrorCommand(streams Streams) *cobra.Command {
	var journal string
	command := tableCommand(streams, "mirror image-mirror.csv", "Copy the images of a mirror table, all platforms; run again to go on after an interruption",
		func(ctx context.Context, t table) error {
			if journal == "" {
				journal = t.path + ".journal"
			}
			return t.copy(ctx, streams, journal)
		})
	command.Flags().StringVar(&journal, "journal", "", "file that records finished copies; by default the table's name with .journal")
	return command
}

func (t table) copy(ctx context.Context, streams Streams, path string) error {
	journal, err := mirror.OpenJournal(path)
	if err != nil {
		return err
	}
	progress := newProgress(streams.Out)
	copier := mirror.Copier{Access: t.access, Journal: journal, Jobs: t.jobs, Referrers: t.referrers, Report: progress.report}
	err = copier.Copy(ctx, t.pairs)
	progress.finish()
	return errors.Join(err, journal.Close())
}

func lockCommand(streams Streams) *cobra.Command {
	var output string
	command := tableCommand(streams, "lock image-mirror.csv -o image-lock.json", "Write the digests of all source images down, per platform",
		func(ctx context.Context, t table) error {
			locked, err := mirror.Lock(ctx, t.access, t.pairs, t.jobs, t.referrers)
			if err != nil {
				return err
			}
			if err := mirror.WriteLock(output, locked); err != nil {
				return err
			}
			p := printer{out: streams.Out}
			p.line("%d images locked in %s", len(locked), output)
			return p.err
		})
	command.Flags().StringVarP(&output, "output", "o", "image-lock.json", "output file")
	return command
}

func verifyMirrorCommand(streams Streams) *cobra.Command {
	var lock string
	var read bool
	command := tableCommand(streams, "verify-mirror image-mirror.csv [--lock image-lock.json]", "Check that every target exists with the digest, the platforms and all blobs of its source",
		func(ctx context.Context, t table) error {
			locked, err := t.expected(ctx, lock)
			if err != nil {
				return err
			}
			defects, err := mirror.Check(ctx, t.access, locked, t.jobs, read)
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
	command.Flags().BoolVar(&read, "read", false, "also read every blob at the targets, and compare its content with its digest")
	command.Flags().StringVar(&lock, "lock", "", "expected digests, written by lock; without it the sources are queried")
	return command
}

// expected returns the expected digests of the targets: from the lock file at path, or from the sources if path is empty.
func (t table) expected(ctx context.Context, path string) ([]mirror.Locked, error) {
	if path == "" {
		return mirror.Lock(ctx, t.access, t.pairs, t.jobs, t.referrers)
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
			return nil, fmt.Errorf("--lock %s does not contain %s; create it again with lock", path, pair.Source)
		}
		one.Target = pair.Target
		locked = append(locked, one)
	}
	return locked, nil
}
