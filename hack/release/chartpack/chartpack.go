// Package chartpack packages a chart for publishing: it references the published images by digest, and the registry that it is published to in its
// dependencies and in the commands of its pages. The same input produces the same bytes.
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

	"gitops-runtime/internal/helmchart"
)

// Default is the registry of the product's images in the values of the source tree.
const Default = "quay.io/codefresh"

// Placeholder is the address of the published charts in the repository's pages.
const Placeholder = "registry.example.com/gitops"

// Place is the registry that a chart is published to.
type Place struct {
	// Registry is host/path, below which charts and images are published.
	Registry string
	// Digests contains the digests of the published images, by their names below the registry.
	Digests map[string]string
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
	return Packed{Metadata: place.metadata(loaded.Metadata), Content: content.Bytes(), Named: slices.Compact(packing.named)}, nil
}

type packing struct {
	place Place
	out   *tar.Writer
	named []string
}

// add packs a chart below a folder of the archive.
func (p *packing) add(loaded *chart.Chart, below string) error {
	folder := path.Join(below, loaded.Name())
	metadata, err := yaml.Marshal(p.place.metadata(loaded.Metadata))
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
		text, err := p.text(file)
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
func (p *packing) text(file *chart.File) ([]byte, error) {
	switch {
	case path.Base(file.Name) == chartutil.ValuesfileName:
		text, named, err := p.place.values(file.Data)
		p.named = append(p.named, named...)
		return text, err
	case path.Ext(file.Name) == ".md" || path.Base(file.Name) == chartutil.NotesName || path.Dir(file.Name) == "ci":
		return bytes.ReplaceAll(file.Data, []byte(Placeholder), []byte(p.place.Registry)), nil
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

// metadata returns the published content of a Chart.yaml.
func (p Place) metadata(tree *chart.Metadata) *chart.Metadata {
	published := *tree
	published.Dependencies = nil
	for _, dependency := range tree.Dependencies {
		moved := *dependency
		if strings.HasPrefix(moved.Repository, "file://") {
			moved.Repository = "oci://" + p.Registry
		}
		published.Dependencies = append(published.Dependencies, &moved)
	}
	published.Annotations = map[string]string{}
	for key, value := range tree.Annotations {
		if key == "artifacthub.io/images" {
			value = p.images(value)
		}
		published.Annotations[key] = value
	}
	return &published
}

// images returns a list of images for ArtifactHub, with the published references of the product's images.
func (p Place) images(list string) string {
	lines := strings.Split(list, "\n")
	for i, line := range lines {
		before, reference, found := strings.Cut(line, "image: "+Default+"/")
		if !found {
			continue
		}
		name, _, _ := strings.Cut(reference, ":")
		if digest, published := p.Digests[name]; published {
			lines[i] = fmt.Sprintf("%simage: %s/%s@%s", before, p.Registry, reference, digest)
		}
	}
	return strings.Join(lines, "\n")
}
