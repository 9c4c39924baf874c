package helmchart

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"

	"gitops-runtime/internal/budget"
)

// unpack adds the files of a packed chart below a prefix. Skipped entries count against the budget, too.
func (r *fileReader) unpack(data []byte, prefix string) error {
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("it is not a packaged chart (.tgz): %w", err)
	}
	from := tar.NewReader(r.left.Reader(r.ctx, "packaged chart", unzipped))
	for {
		header, err := from.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if over := new(*budget.Error); errors.As(err, over) || r.ctx.Err() != nil {
			return err
		}
		if err != nil {
			return fmt.Errorf("it is not a packaged chart (.tgz): %w", err)
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		name, err := inChart(header.Name)
		if err != nil {
			return err
		}
		text, err := readLimited(name, from)
		if err != nil {
			return err
		}
		if err := r.add(prefix+name, text); err != nil {
			return err
		}
	}
}

// inChart returns the name of an archive's entry without the folder that `helm package` puts around a chart. Archives from Windows may contain
// backslashes.
func inChart(entry string) (string, error) {
	_, name, _ := strings.Cut(strings.ReplaceAll(entry, `\`, "/"), "/")
	if name = path.Clean(name); name == "." || !filepath.IsLocal(name) {
		return "", fmt.Errorf("it contains %q, which is outside the chart directory", entry)
	}
	return name, nil
}

// readLimited reads a file up to the size that Helm accepts; a larger one is an error.
func readLimited(name string, from io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, loader.MaxDecompressedFileSize+1))
	if err != nil {
		return nil, fmt.Errorf("file %s: %w", name, err)
	}
	if int64(len(text)) > loader.MaxDecompressedFileSize {
		return nil, fmt.Errorf("file %s has more than %d MiB, which Helm does not allow", name, loader.MaxDecompressedFileSize>>20)
	}
	return text, nil
}
