package verify

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"helm.sh/helm/v3/pkg/chart"
	"sigs.k8s.io/yaml"

	"gitops-runtime/hack/release/artifact"
	"gitops-runtime/hack/release/chartpack"
	"gitops-runtime/internal/budget"
	"gitops-runtime/internal/netfail"
)

// imageContent reads every manifest and blob of an image, and verifies their digests.
func (r *run) imageContent(_ context.Context, found *remote.Descriptor, _ *Result) ([]string, error) {
	index, err := found.ImageIndex()
	if err != nil {
		return []string{fmt.Sprintf("it is %s, not an index of platforms", found.MediaType)}, nil //nolint:nilerr // a defect
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	var defects []string
	for _, child := range manifest.Manifests {
		image, err := index.Image(child.Digest)
		if err == nil {
			err = readAll(image)
		}
		defect, err := changed(fmt.Sprintf("its platform %s", child.Platform), err)
		if err != nil {
			return nil, err
		}
		defects = append(defects, defect...)
	}
	return defects, nil
}

// pluginContent reads a plugin, and verifies its digests.
func (r *run) pluginContent(_ context.Context, found *remote.Descriptor, _ *Result) ([]string, error) {
	image, err := found.Image()
	if err != nil {
		return []string{fmt.Sprintf("it is %s, not a plugin", found.MediaType)}, nil //nolint:nilerr // a defect
	}
	return changed("the plugin", readAll(image))
}

// chartContent reads a chart and compares the images that it references with those verified.
func (r *run) chartContent(ctx context.Context, found *remote.Descriptor, result *Result) ([]string, error) {
	image, err := found.Image()
	if err != nil {
		return []string{fmt.Sprintf("it is %s, not a chart", found.MediaType)}, nil //nolint:nilerr // a defect
	}
	if defects, err := changed("the chart", readAll(image)); err != nil || len(defects) > 0 {
		return defects, err
	}
	packed, err := artifact.PackedChart(image)
	if err != nil {
		return []string{err.Error()}, nil //nolint:nilerr // a defect
	}
	named, listed, err := imagesOf(ctx, packed)
	if err != nil {
		return []string{err.Error()}, nil //nolint:nilerr // a defect
	}
	result.ByTag = byTag(listed)
	return r.references(named), nil
}

// byTag returns the images of a list for ArtifactHub that have no digest.
func byTag(list string) []string {
	var found []string
	for line := range strings.Lines(list) {
		if _, image, listed := strings.Cut(strings.TrimSpace(line), "image: "); listed && !strings.Contains(image, "@sha256:") {
			found = append(found, image)
		}
	}
	return found
}

// references compares the images of the release that a chart references, whatever their registry, with those that were verified.
func (r *run) references(named []chartpack.Image) []string {
	var defects []string
	for _, one := range named {
		name := path.Base(one.Repository)
		if !slices.Contains(r.Images, name) {
			continue
		}
		r.referenced++
		if one.Digest != r.digests[name] {
			defects = append(defects, fmt.Sprintf("its values name the image %s@%s, and %s was verified", one.Repository, one.Digest, r.digests[name]))
		}
		if one.Repository != r.From+"/"+name {
			defects = append(defects, fmt.Sprintf("its values name the image %s, which is not below %s", one.Repository, r.From))
		}
	}
	return defects
}

// readAll reads the configuration and every layer of an image.
func readAll(image v1.Image) error {
	layers, err := image.Layers()
	if err != nil {
		return err
	}
	config, err := partial.ConfigLayer(image)
	if err != nil {
		return err
	}
	for _, layer := range append(layers, config) {
		digest, err := layer.Digest()
		if err != nil {
			return err
		}
		content, err := layer.Compressed()
		if err != nil {
			return fmt.Errorf("blob %s: %w", digest, err)
		}
		_, err = io.Copy(io.Discard, content)
		if err := errors.Join(err, content.Close()); err != nil {
			return fmt.Errorf("blob %s: %w", digest, err)
		}
	}
	return nil
}

// changed returns a defect for content that is missing or does not match its digest; other errors, such as those of the network, are returned.
func changed(what string, err error) ([]string, error) {
	var answer *transport.Error
	switch {
	case err == nil:
		return nil, nil
	case absent(err):
		return []string{what + " is incomplete: " + err.Error()}, nil
	case errors.As(err, &answer) || errors.Is(err, context.Canceled) || netfail.Classify("", err).Stage != netfail.HTTP:
		return nil, err
	}
	return []string{what + " does not match its digest: " + err.Error()}, nil
}

// imagesOf returns the images that the values of a packed chart and of all charts in it reference, and ArtifactHub's list of the images that it installs.
func imagesOf(ctx context.Context, packed []byte) (all []chartpack.Image, listed string, err error) {
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, "", fmt.Errorf("the chart cannot be unpacked: %w", err)
	}
	left := budget.New(budget.Default())
	files := tar.NewReader(left.Reader(ctx, "the chart", unzipped))
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return all, listed, nil
		}
		if err != nil {
			return nil, "", fmt.Errorf("the chart cannot be unpacked: %w", err)
		}
		own := path.Base(header.Name) == "Chart.yaml" && strings.Count(header.Name, "/") == 1
		if path.Base(header.Name) != "values.yaml" && !own {
			continue
		}
		text, err := io.ReadAll(files)
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", header.Name, err)
		}
		if err := left.YAML(header.Name, text); err != nil {
			return nil, "", err
		}
		if own {
			var metadata chart.Metadata
			if err := yaml.Unmarshal(text, &metadata); err != nil {
				return nil, "", fmt.Errorf("%s: %w", header.Name, err)
			}
			listed = metadata.Annotations["artifacthub.io/images"]
			continue
		}
		named, err := chartpack.Named(text)
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", header.Name, err)
		}
		all = append(all, named...)
	}
}
