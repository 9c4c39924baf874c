package helmchart

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"

	"gitops-runtime/internal/budget"
)

// unpack reads a .tgz file from disk.
func unpack(ctx context.Context, left *budget.Budget, name string) (memory, error) {
	data, err := readFile(ctx, left, name)
	if err != nil {
		return nil, err
	}
	return untar(ctx, left, data)
}

// untar reads the files of a packaged chart into memory, without the leading
// folder that `helm package` puts around them, and only those that a chart is
// read from. What is passed over is unpacked, too, so it counts.
func untar(ctx context.Context, left *budget.Budget, data []byte) (memory, error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("not a packaged chart (.tgz): %w", err)
	}
	files := memory{}
	reader := tar.NewReader(left.Reader(ctx, "packaged chart", unzipped))
	for {
		header, err := reader.Next()
		switch {
		case errors.Is(err, io.EOF):
			return files, nil
		case bounded(err):
			return nil, err
		case err != nil:
			return nil, fmt.Errorf("not a packaged chart (.tgz): %w", err)
		}
		_, name, nested := strings.Cut(path.Clean(header.Name), "/")
		if !nested || header.Typeflag != tar.TypeReg || !wanted(name) {
			continue
		}
		text, err := io.ReadAll(reader)
		if err != nil {
			return nil, fmt.Errorf("file %s: %w", header.Name, err)
		}
		files[name] = text
	}
}

// bounded is true for an error that says which bound was met: too much, or no time.
func bounded(err error) bool {
	var over *budget.Error
	return errors.As(err, &over) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// wanted is true for the files of a chart, or of one below it, that are read.
func wanted(name string) bool {
	below := strings.HasPrefix(name, "charts/") && path.Ext(name) == ".tgz"
	return below || slices.Contains([]string{"Chart.yaml", "values.yaml", "values.schema.json"}, path.Base(name))
}

// memory is the files of an unpacked archive by their slash-separated names.
type memory map[string][]byte

func (m memory) read(_ context.Context, _ *budget.Budget, name string) ([]byte, error) {
	text, exists := m[name]
	if !exists {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return text, nil
}

func (m memory) match(pattern string) []string {
	var names []string
	for name := range m {
		if ok, _ := path.Match(pattern, name); ok {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

func (m memory) below(folder string) tree {
	inside := memory{}
	for name, text := range m {
		if rest, ok := strings.CutPrefix(name, folder+"/"); ok {
			inside[rest] = text
		}
	}
	return inside
}
