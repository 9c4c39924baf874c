// Package chartpack packages a chart for publishing: it references the published images by digest, the registry that it is published to in its
// dependencies and in the commands of its pages, and the repository that it comes from in its metadata and links. The same input produces the same bytes.
package chartpack

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chartutil"
	"sigs.k8s.io/yaml"

	"gitops-runtime/hack/release/address"
	"gitops-runtime/internal/helmchart"
)

// Place is the registry that a chart is published to.
type Place struct {
	// Registry is host/path, below which charts and images are published.
	Registry string
	// Digests contains the digests of the published images, by their names below the registry.
	Digests map[string]string
	// Locked contains the digests of images of other projects, by reference with a tag.
	Locked map[string]string
	// Address is that of the checkout, with the repository of what is published; Revision is the commit to which links point.
	Address  address.Address
	Revision string
}

// Packed is a packed chart.
type Packed struct {
	Metadata *chart.Metadata
	Content  []byte
	// Named contains the names of the product's images that values of the chart reference by digest.
	Named []string
}

// Pack packs the chart in a folder with all its dependencies.
func Pack(ctx context.Context, folder string, place Place) (Packed, error) {
	loaded, err := helmchart.Load(ctx, helmchart.Source{Name: folder})
	if err != nil {
		return Packed{}, err
	}
	var content bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&content, gzip.BestCompression)
	if err != nil {
		return Packed{}, err
	}
	out := tar.NewWriter(zipped)
	packing := packing{place: place, out: out}
	if err := packing.add(loaded, ""); err != nil {
		return Packed{}, fmt.Errorf("pack chart %s: %w", loaded.Name(), err)
	}
	if err := out.Close(); err != nil {
		return Packed{}, err
	}
	if err := zipped.Close(); err != nil {
		return Packed{}, err
	}
	slices.Sort(packing.named)
	metadata, err := place.metadata(loaded.Metadata)
	return Packed{Metadata: metadata, Content: content.Bytes(), Named: slices.Compact(packing.named)}, err
}

type packing struct {
	place Place
	out   *tar.Writer
	named []string
}

// add packs a chart below a folder of the archive.
func (p *packing) add(loaded *chart.Chart, below string) error {
	folder := path.Join(below, loaded.Name())
	published, err := p.place.metadata(loaded.Metadata)
	if err != nil {
		return err
	}
	metadata, err := yaml.Marshal(published)
	if err != nil {
		return err
	}
	if err := p.write(path.Join(folder, chartutil.ChartfileName), metadata); err != nil {
		return err
	}
	files := slices.Clone(loaded.Raw)
	slices.SortFunc(files, func(a, b *chart.File) int { return cmp.Compare(a.Name, b.Name) })
	for _, file := range files {
		if !belongs(file.Name) {
			continue
		}
		text, err := p.text(loaded, file)
		if err != nil {
			return fmt.Errorf("%s: %w", path.Join(folder, file.Name), err)
		}
		if err := p.write(path.Join(folder, file.Name), text); err != nil {
			return err
		}
	}
	dependencies := slices.Clone(loaded.Dependencies())
	slices.SortFunc(dependencies, func(a, b *chart.Chart) int { return cmp.Compare(a.Name(), b.Name()) })
	for _, dependency := range dependencies {
		if err := p.add(dependency, path.Join(folder, chartutil.ChartsDir)); err != nil {
			return err
		}
	}
	return nil
}

// belongs reports whether a file is packed with the files of its chart: not Chart.yaml and the dependencies, which are packed separately, and not the
// lock file, whose addresses are not the published ones.
func belongs(name string) bool {
	return name != chartutil.ChartfileName && name != "Chart.lock" && !strings.HasPrefix(name, chartutil.ChartsDir+"/")
}

// text returns the published content of a file.
func (p *packing) text(of *chart.Chart, file *chart.File) ([]byte, error) {
	switch {
	case path.Base(file.Name) == chartutil.ValuesfileName:
		text, named, err := p.place.values(file.Data, of.Metadata.AppVersion)
		p.named = append(p.named, named...)
		return text, err
	case path.Ext(file.Name) == ".md":
		return p.place.page(of, file.Name, file.Data), nil
	case path.Base(file.Name) == chartutil.NotesName || path.Dir(file.Name) == "ci":
		return p.place.registry(file.Data), nil
	}
	return file.Data, nil
}

func (p *packing) write(name string, content []byte) error {
	header := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(content)), ModTime: time.Unix(0, 0), Typeflag: tar.TypeReg, Format: tar.FormatPAX}
	if err := p.out.WriteHeader(header); err != nil {
		return err
	}
	_, err := p.out.Write(content)
	return err
}
