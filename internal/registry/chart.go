package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"gitops-runtime/internal/registry/fault"
)

const (
	// scheme is the prefix of references to charts in registries.
	scheme = "oci://"
	// chartLayer is the media type under which Helm stores a packaged chart.
	chartLayer = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
	// chartTime limits the duration of a chart's download, chartSize its size in bytes.
	chartTime = time.Minute
	chartSize = 64 << 20
	// maxTags and maxPages limit the search for the newest release.
	maxTags  = 10_000
	maxPages = 100
)

// Chart pulls a packaged chart: oci://host/path:version, or without the version if it is passed separately. Without any version it pulls the newest
// release. The place is the exact reference that was pulled.
func (a Access) Chart(ctx context.Context, reference, version string) (archive []byte, place string, err error) {
	ctx, cancel := context.WithTimeout(ctx, chartTime)
	defer cancel()
	a.Attempts = 1 // a user waits for the result
	client, err := a.Open()
	if err != nil {
		return nil, "", err
	}
	target, err := client.chart(ctx, reference, version)
	if err != nil {
		return nil, "", err
	}
	archive, err = client.download(ctx, target)
	if errors.Is(err, errNoChart) {
		return nil, "", fmt.Errorf("chart %s: %w", reference, err)
	}
	if err != nil {
		return nil, "", fault.Explain("pull chart", target.Name(), err)
	}
	return archive, target.Name(), nil
}

// chart returns the exact reference to pull.
func (c *Client) chart(ctx context.Context, reference, version string) (name.Reference, error) {
	text, how := c.reached(strings.TrimPrefix(reference, scheme))
	how = append(how, name.StrictValidation)
	if target, err := name.ParseReference(text, how...); err == nil {
		return target, nil
	}
	repository, err := name.NewRepository(text, how...)
	if err != nil {
		return nil, fmt.Errorf("chart %s: write it as oci://host/path or oci://host/path:version", reference)
	}
	if version != "" {
		// A tag cannot contain "+"; Helm writes "_" instead.
		return repository.Tag(strings.ReplaceAll(version, "+", "_")), nil
	}
	tags, err := c.tags(ctx, repository)
	if err != nil {
		return nil, fault.Explain("list versions of", repository.Name(), err)
	}
	newest := newestRelease(tags)
	if newest == "" {
		return nil, fmt.Errorf("chart %s has no released version; name one, as in %s:1.2.3", reference, reference)
	}
	return repository.Tag(newest), nil
}

// tags lists the tags of a repository, up to maxTags.
func (c *Client) tags(ctx context.Context, repository name.Repository) ([]string, error) {
	puller, err := remote.NewPuller(c.Options(ctx)...)
	if err != nil {
		return nil, err
	}
	pages, err := puller.Lister(ctx, repository)
	if err != nil {
		return nil, err
	}
	var tags []string
	for page := 1; pages.HasNext(); page++ {
		listed, err := pages.Next(ctx)
		if err != nil {
			return nil, err
		}
		if tags = append(tags, listed.Tags...); len(tags) > maxTags || page > maxPages {
			return nil, &fault.UserError{Message: fmt.Sprintf(
				"%s lists more than %d tags, or on more than %d pages; name the version, as in %s:1.2.3", repository.RegistryStr(), maxTags, maxPages, repository.Name())}
		}
	}
	return tags, nil
}

// download fetches the layer that contains the packaged chart; its digest is verified while it is read.
func (c *Client) download(ctx context.Context, target name.Reference) ([]byte, error) {
	found, err := remote.Get(target, c.Options(ctx)...)
	if err != nil {
		return nil, err
	}
	if found.MediaType.IsIndex() {
		return nil, errNoChart
	}
	image, err := found.Image()
	if err != nil {
		return nil, err
	}
	manifest, err := image.Manifest() // once: each method of a layer parses it again
	if err != nil {
		return nil, err
	}
	for _, listed := range manifest.Layers {
		if string(listed.MediaType) != chartLayer {
			continue
		}
		layer, err := image.LayerByDigest(listed.Digest)
		if err != nil {
			return nil, err
		}
		packed, err := layer.Compressed()
		if err != nil {
			return nil, err
		}
		archive, err := io.ReadAll(io.LimitReader(packed, chartSize))
		return archive, errors.Join(err, packed.Close())
	}
	return nil, errNoChart
}

var errNoChart = errors.New("it is not a Helm chart (perhaps an image): it has no layer of type " + chartLayer)
