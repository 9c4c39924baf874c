// Package ocilayer writes container image layers that depend only on their contents: entries are sorted, times are fixed, owners are numbers.
package ocilayer

import (
	"archive/tar"
	"fmt"
	"io"
	"path"
	"sort"
	"strings"

	"gitops-runtime/internal/tarfile"
)

// Entry is one path of a layer. At most one of Content, HostFile, Link and Dir is set; an entry with none of them is an empty file.
type Entry struct {
	// Path is absolute, as the container sees it.
	Path string
	// Mode contains the permission bits, including the sticky bit (octal, 01777). Zero means 0755 for directories and 0644 for files.
	Mode int64
	// UID and GID are the owner of the entry.
	UID, GID int
	// Content is the text of a small file.
	Content string
	// HostFile is a file of this machine whose content is used.
	HostFile string `json:",omitempty"`
	// Link creates a symbolic link with this target.
	Link string
	// Dir creates a directory.
	Dir bool
}

// WriteTar writes the entries as an uncompressed tar stream, sorted by path. Missing parent directories are added, owned by root with mode 0755, so that
// a layer is complete on its own. A duplicate path is an error.
func WriteTar(w io.Writer, entries []Entry) error {
	all, err := withParents(entries)
	if err != nil {
		return err
	}
	out := tar.NewWriter(w)
	for _, entry := range all {
		if err := writeEntry(out, entry); err != nil {
			return fmt.Errorf("layer entry %s: %w", entry.Path, err)
		}
	}
	return out.Close()
}

func withParents(entries []Entry) ([]Entry, error) {
	byPath := make(map[string]Entry, len(entries))
	for _, entry := range entries {
		if !path.IsAbs(entry.Path) || path.Clean(entry.Path) != entry.Path {
			return nil, fmt.Errorf("layer entry %q: give an absolute path without a trailing slash or dots", entry.Path)
		}
		if _, twice := byPath[entry.Path]; twice {
			return nil, fmt.Errorf("layer entry %s is given twice", entry.Path)
		}
		byPath[entry.Path] = entry
	}
	for _, entry := range entries {
		for dir := path.Dir(entry.Path); dir != "/"; dir = path.Dir(dir) {
			if _, known := byPath[dir]; !known {
				byPath[dir] = Entry{Path: dir, Dir: true}
			}
		}
	}
	all := make([]Entry, 0, len(byPath))
	for _, entry := range byPath {
		all = append(all, entry)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Path < all[j].Path })
	return all, nil
}

func writeEntry(out *tar.Writer, entry Entry) error {
	header := &tar.Header{
		Name: strings.TrimPrefix(entry.Path, "/"),
		Mode: entry.Mode,
		Uid:  entry.UID,
		Gid:  entry.GID,
	}
	FixHeader(header)
	switch {
	case entry.Dir:
		header.Typeflag, header.Name = tar.TypeDir, header.Name+"/"
		header.Mode = orMode(entry.Mode, 0o755)
		return out.WriteHeader(header)
	case entry.Link != "":
		header.Typeflag, header.Linkname, header.Mode = tar.TypeSymlink, entry.Link, 0o777
		return out.WriteHeader(header)
	}
	header.Typeflag = tar.TypeReg
	header.Mode = orMode(entry.Mode, 0o644)
	if entry.HostFile != "" {
		return tarfile.WriteFile(out, header, entry.HostFile)
	}
	return tarfile.WriteText(out, header, entry.Content)
}

func orMode(mode, fallback int64) int64 {
	if mode == 0 {
		return fallback
	}
	return mode
}
