package install

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"gitops-runtime/imageoverride/generate"
	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/internal/progress"
)

// overrides is the result of image-override for an install: the values that redirect every image to the private registry, and the target of each image.
type overrides struct {
	valuesFile string
	pairs      []images.Pair
	origins    map[string]images.Origin
}

// target returns the private reference of a public one.
func (o overrides) target(source string) string {
	for _, pair := range o.pairs {
		if pair.Source == source {
			return pair.Target
		}
	}
	return source
}

// offer pushes the images to the private registry, and removes outdated ones from the node; it returns their digests, by private reference.
func (l *Local) offer(ctx context.Context, made overrides) (map[string]string, error) {
	if err := l.Catalog.Push(ctx, made.pairs, RegistryOnHost, l.Observer); err != nil {
		return nil, err
	}
	digests, err := l.digests(ctx, made)
	if err != nil {
		return nil, err
	}
	return digests, l.Cluster.Forget(ctx, digests)
}

// digests returns the digests of the images, by private reference.
func (l *Local) digests(ctx context.Context, made overrides) (map[string]string, error) {
	digests := map[string]string{}
	for _, pair := range made.pairs {
		digest, err := l.Catalog.Digest(ctx, pair.Source)
		if err != nil {
			return nil, err
		}
		digests[pair.Target] = digest
	}
	return digests, nil
}

// overrideImages generates the values of the private registry with image-override, so that every local install tests it. They also apply to high
// availability, which has images that no mode has. Images that the chart only names, for future workflows, are not available and not mirrored.
func (l *Local) overrideImages(ctx context.Context, name images.Mode, available []images.Image) (overrides, error) {
	values, err := Values(name, []byte("any"), false)
	if err != nil {
		return overrides{}, err
	}
	var tree map[string]any
	if err := yaml.Unmarshal(values, &tree); err != nil {
		return overrides{}, fmt.Errorf("values of mode %s: %w", name, err)
	}
	result, err := l.overrideChart(ctx, "gitops-runtime", generate.Options{Scenarios: []generate.Scenario{
		{Name: string(name), Values: generate.Values{Tree: tree}},
		{Name: "high availability", Values: generate.Values{Tree: tree, Files: []string{filepath.Join(l.Root, "charts", "gitops-runtime", "values-ha.yaml")}}},
	}})
	if err != nil {
		return overrides{}, err
	}
	return l.keepOverrides(result, "values-images.yaml", available)
}

// overrideChart runs image-override for a chart of the checkout; an image that it leaves outside the private registry is an error.
func (l *Local) overrideChart(ctx context.Context, chart string, options generate.Options) (generate.Result, error) {
	options.Chart, options.Registry = filepath.Join(l.Root, "charts", chart), RegistryInCluster
	var result generate.Result
	err := progress.Step(l.Observer, fmt.Sprintf("image-override: values of %s for %s", chart, RegistryInCluster), func() error {
		var err error
		if result, err = generate.Run(ctx, options); err != nil {
			return err
		}
		if !result.Complete() {
			return fmt.Errorf("image-override leaves %d images of %s outside %s: %v", len(result.Outside), chart, RegistryInCluster, result.Outside)
		}
		return nil
	})
	return result, err
}

// keepOverrides writes the values below .cache/install and returns the target of each image.
func (l *Local) keepOverrides(result generate.Result, file string, available []images.Image) (overrides, error) {
	made := overrides{
		valuesFile: filepath.Join(l.Root, ".cache", "install", file),
		origins:    map[string]images.Origin{},
	}
	targets := map[string]string{}
	for _, pair := range result.Mirror {
		targets[pair.Source] = pair.Target
	}
	for _, image := range available {
		target, found := targets[image.Name]
		if !found { // the platform's own images are not part of the chart
			target = RegistryInCluster + "/" + image.Name
		}
		made.pairs = append(made.pairs, images.Pair{Source: image.Name, Target: target})
		made.origins[target] = image.Origin
	}
	if err := os.MkdirAll(filepath.Dir(made.valuesFile), 0o700); err != nil {
		return made, err
	}
	return made, os.WriteFile(made.valuesFile, result.Files[generate.WithTagsFile], 0o600)
}
