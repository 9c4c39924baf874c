package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"gitops-runtime/imageoverride/emit"
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
		return nil, fmt.Errorf("mirror table: %w; generate writes it", err)
	}
	defer func() { _ = file.Close() }()
	return emit.ReadMirror(path, file)
}

func mirrorCommand(streams Streams) *cobra.Command {
	var flags registryFlags
	var journal string
	command := &cobra.Command{
		Use:   "mirror image-mirror.csv",
		Short: "Copy the images of a mirror table, all platforms; run again to go on after an interruption",
		Args:  cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			access, err := flags.complete()
			if err != nil {
				return err
			}
			pairs, err := readPairs(args[0])
			if err != nil {
				return err
			}
			if journal == "" {
				journal = args[0] + ".journal"
			}
			return copyAll(command.Context(), streams, access, pairs, journal, flags.jobs)
		},
	}
	flags.register(command)
	command.Flags().StringVar(&journal, "journal", "", "file that remembers finished copies; the table's name with .journal by default")
	return command
}

func copyAll(ctx context.Context, streams Streams, access mirror.Access, pairs []mapping.Pair, path string, jobs int) error {
	journal, err := mirror.OpenJournal(path)
	if err != nil {
		return err
	}
	progress := newProgress(streams.Out)
	copier := mirror.Copier{Access: access, Journal: journal, Jobs: jobs, Report: progress.report}
	err = copier.Copy(ctx, pairs)
	progress.finish()
	return errors.Join(err, journal.Close())
}

func lockCommand(streams Streams) *cobra.Command {
	var flags registryFlags
	var output string
	command := &cobra.Command{
		Use:   "lock image-mirror.csv -o image-lock.json",
		Short: "Write the digests of all source images down, per platform",
		Args:  cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			access, err := flags.complete()
			if err != nil {
				return err
			}
			pairs, err := readPairs(args[0])
			if err != nil {
				return err
			}
			locked, err := mirror.Lock(command.Context(), access, pairs, flags.jobs)
			if err != nil {
				return err
			}
			data, err := json.MarshalIndent(locked, "", "  ")
			if err != nil {
				return fmt.Errorf("write %s: %w", output, err)
			}
			if err := os.WriteFile(output, append(data, '\n'), 0o644); err != nil {
				return fmt.Errorf("write %s: %w", output, err)
			}
			_, err = fmt.Fprintf(streams.Out, "%d images locked in %s\n", len(locked), output)
			return err
		},
	}
	flags.register(command)
	command.Flags().StringVarP(&output, "output", "o", "image-lock.json", "file to write")
	return command
}

func verifyMirrorCommand(streams Streams) *cobra.Command {
	var flags registryFlags
	var lock string
	command := &cobra.Command{
		Use:   "verify-mirror image-mirror.csv [--lock image-lock.json]",
		Short: "Check that every target exists with the digest and the platforms of its source",
		Args:  cobra.ExactArgs(1),
		RunE: func(command *cobra.Command, args []string) error {
			access, err := flags.complete()
			if err != nil {
				return err
			}
			pairs, err := readPairs(args[0])
			if err != nil {
				return err
			}
			locked, err := expected(command.Context(), access, pairs, lock, flags.jobs)
			if err != nil {
				return err
			}
			defects, err := mirror.Check(command.Context(), access, locked, flags.jobs)
			if err != nil {
				return err
			}
			p := printer{out: streams.Out}
			for _, defect := range defects {
				p.line("%s: %s", defect.Pair.Target, defect.Reason)
			}
			p.line("%d images checked, %d wrong", len(locked), len(defects))
			if p.err == nil && len(defects) > 0 {
				return leftOut{fmt.Sprintf("%d images of %s are not in order; run mirror again", len(defects), args[0])}
			}
			return p.err
		},
	}
	flags.register(command)
	command.Flags().StringVar(&lock, "lock", "", "digests to expect, as lock wrote them; without it the sources are asked")
	return command
}

// expected is what the targets should be: from a lock file, or from the sources.
func expected(ctx context.Context, access mirror.Access, pairs []mapping.Pair, path string, jobs int) ([]mirror.Locked, error) {
	if path == "" {
		return mirror.Lock(ctx, access, pairs, jobs)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--lock: %w", err)
	}
	var all []mirror.Locked
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("--lock %s is not a lock file: %w", path, err)
	}
	bySource := map[string]mirror.Locked{}
	for _, one := range all {
		bySource[one.Source] = one
	}
	locked := make([]mirror.Locked, 0, len(pairs))
	for _, pair := range pairs {
		one, ok := bySource[pair.Source]
		if !ok {
			return nil, fmt.Errorf("--lock %s does not know %s; make it again with lock", path, pair.Source)
		}
		one.Target = pair.Target
		locked = append(locked, one)
	}
	return locked, nil
}
