package mirror

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/internal/outfile"
	"gitops-runtime/internal/tarfile"
)

// PackChart returns a chart with its dependencies as an archive, the same bytes for the same chart.
func PackChart(of *chart.Chart) ([]byte, error) {
	files := map[string][]byte{}
	gather(of, of.Name(), files)
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	archive := tar.NewWriter(packed)
	for _, name := range names {
		if err := tarfile.WriteText(archive, &tar.Header{Name: name, Mode: 0o644}, string(files[name])); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := packed.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func gather(c *chart.Chart, prefix string, into map[string][]byte) {
	for _, file := range c.Raw {
		if !strings.HasPrefix(file.Name, "charts/") {
			into[path.Join(prefix, file.Name)] = file.Data
		}
	}
	for _, child := range c.Dependencies() {
		gather(child, path.Join(prefix, "charts", child.Name()), into)
	}
}

// Archive writes the files of a bundle into one file, the same bytes for the same bundle.
func Archive(folder, file string) error {
	contents, err := describeBundle(folder)
	if err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(folder, "blobs", "*", "*"))
	if err != nil {
		return err
	}
	for _, name := range append(contents.Values, contents.Chart, "index.json", "oci-layout", BundleFile) {
		if name != "" {
			names = append(names, filepath.Join(folder, filepath.FromSlash(name)))
		}
	}
	sort.Strings(names)
	out, err := outfile.Create(file, 0o644)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(out)
	for _, name := range names {
		var below string
		if below, err = filepath.Rel(folder, name); err != nil {
			break
		}
		if err = tarfile.WriteFile(archive, &tar.Header{Name: filepath.ToSlash(below), Mode: 0o644}, name); err != nil {
			break
		}
	}
	if err = errors.Join(err, archive.Close()); err != nil {
		_ = out.Abandon()
		return fmt.Errorf("archive %s cannot be written: %s; free some space, or choose another location with --archive, and run the command again", file, outfile.Cause(err))
	}
	return out.Finish()
}

// Unpack writes the files of an archive into a folder.
func Unpack(file, folder string) error {
	from, err := outfile.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	for archive := tar.NewReader(from); ; {
		header, err := archive.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s is not a bundle: %w", file, err)
		}
		if !filepath.IsLocal(header.Name) || header.Typeflag != tar.TypeReg {
			return fmt.Errorf("%s is not a bundle: it contains %q", file, header.Name)
		}
		if err := unpackFile(filepath.Join(folder, header.Name), archive); err != nil { //nolint:gosec // header.Name is local
			return err
		}
	}
}

func unpackFile(to string, content io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	out, err := outfile.Create(to, 0o644)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, content); err != nil {
		_ = out.Abandon()
		return fmt.Errorf("%s cannot be written: %s; free some space, or choose another location with -o, and run the command again", to, outfile.Cause(err))
	}
	return out.Finish()
}
