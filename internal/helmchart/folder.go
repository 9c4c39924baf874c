package helmchart

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"helm.sh/helm/v3/pkg/ignore"

	"gitops-runtime/internal/outfile"
)

// maxFolders is the maximum depth of folders.
const maxFolders = 50

// entryCost is the number of bytes that an entry of a folder costs: with links, a few entries can expand to an unlimited number.
const entryCost = 256

// folderOf adds the files of a chart on disk, except those that its .helmignore excludes. Links within the chart are followed.
func (r *fileReader) folderOf(root string) error {
	rules := ignore.Empty()
	file, err := outfile.Open(filepath.Join(root, ignore.HelmIgnore))
	if err == nil {
		rules, err = ignore.Parse(r.left.Reader(r.ctx, ignore.HelmIgnore, file))
		_ = file.Close()
	}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %s", ignore.HelmIgnore, outfile.Reason(err))
	}
	rules.AddDefaults()
	return r.folder(root, "", rules, nil)
}

// folder adds the content of one folder; within are its parent folders, with links resolved.
func (r *fileReader) folder(at, prefix string, rules *ignore.Rules, within []string) error {
	real, err := filepath.EvalSymlinks(at)
	if err != nil {
		return err
	}
	if len(within) > maxFolders {
		return fmt.Errorf("its folders are nested more than %d levels deep", maxFolders)
	}
	if slices.Contains(within, real) {
		return fmt.Errorf("%s is a link to a parent directory; remove the link", filepath.ToSlash(filepath.Clean(prefix)))
	}
	entries, err := os.ReadDir(at)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := errors.Join(r.ctx.Err(), r.left.Take(prefix+entry.Name(), entryCost)); err != nil {
			return err
		}
		if err := r.entry(filepath.Join(at, entry.Name()), prefix+entry.Name(), rules, append(within, real)); err != nil {
			return err
		}
	}
	return nil
}

// stays returns an error if an entry of a chart is a link to a place outside of the chart's directory, whose content would be printed with the chart.
func stays(at, name, root string) error {
	if info, err := os.Lstat(at); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return err
	}
	real, err := filepath.EvalSymlinks(at)
	if err != nil {
		return err
	}
	if inside, err := filepath.Rel(root, real); err == nil && filepath.IsLocal(inside) {
		return nil
	}
	return fmt.Errorf("%s is a link out of the chart, to %s; copy that into the chart, or allow links with --follow-links", name, real)
}

func (r *fileReader) entry(at, name string, rules *ignore.Rules, within []string) error {
	info, err := os.Stat(at)
	switch {
	case err != nil:
		return err
	case rules.Ignore(name, info):
		return nil
	case !r.follow:
		if err := stays(at, name, within[0]); err != nil {
			return err
		}
	}
	switch {
	case info.IsDir():
		return r.folder(at, name+"/", rules, within)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", name)
	}
	file, err := os.Open(at)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	text, err := readLimited(name, r.left.Reader(r.ctx, name, file))
	if err != nil {
		return err
	}
	return r.add(name, text)
}
