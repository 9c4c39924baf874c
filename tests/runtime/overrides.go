package runtime

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"gitops-runtime/imageoverride/generate"
	"gitops-runtime/tests/cluster/progress"
	"gitops-runtime/tests/images"
)

// overrides is what image-override says of an install: the values that point every image at the private registry, and
// which image goes where.
type overrides struct {
	valuesFile string
	pairs      []images.Pair
	origins    map[string]images.Origin
}

// target is the private reference of a public one.
func (o overrides) target(source string) string {
	for _, pair := range o.pairs {
		if pair.Source == source {
			return pair.Target
		}
	}
	return source
}

// digests are the digests of the images, by private reference.
func (l *Local) digests(ctx context.Context, made overrides) (map[string]string, error) {
	digests := map[string]string{}
	for _, pair := range made.pairs {
		digest, err := l.Catalogue.Digest(ctx, pair.Source)
		if err != nil {
			return nil, err
		}
		digests[pair.Target] = digest
	}
	return digests, nil
}

// overrideImages generates the values of the private registry with image-override, so that every local install proves it.
// Images that the chart only names, for workflows to come, are not at hand and not mirrored.
func (l *Local) overrideImages(ctx context.Context, name images.Mode, have []images.Image) (overrides, error) {
	made := overrides{
		valuesFile: filepath.Join(l.Root, ".cache", "install", "values-images.yaml"),
		origins:    map[string]images.Origin{},
	}
	err := progress.Step(l.Observer, "image-override: values for "+RegistryInCluster, func() error {
		values, err := Values(name, []byte("any"))
		if err != nil {
			return err
		}
		var tree map[string]any
		if err := yaml.Unmarshal(values, &tree); err != nil {
			return fmt.Errorf("values of mode %s: %w", name, err)
		}
		result, err := generate.Run(ctx, generate.Options{
			Chart:    filepath.Join(l.Root, "charts", "gitops-runtime"),
			Registry: RegistryInCluster,
			Values:   generate.Values{Tree: tree},
		})
		if err != nil {
			return err
		}
		if !result.Complete() {
			return fmt.Errorf("image-override leaves %d images outside %s: %v", len(result.Outside), RegistryInCluster, result.Outside)
		}
		targets := map[string]string{}
		for _, pair := range result.Mirror {
			targets[pair.Source] = pair.Target
		}
		for _, image := range have {
			target, found := targets[image.Name]
			if !found { // the platform's own images are no part of the chart
				target = RegistryInCluster + "/" + image.Name
			}
			made.pairs = append(made.pairs, images.Pair{Source: image.Name, Target: target})
			made.origins[target] = image.Origin
		}
		if err := os.MkdirAll(filepath.Dir(made.valuesFile), 0o700); err != nil {
			return err
		}
		return os.WriteFile(made.valuesFile, result.Files[generate.WithTagsFile], 0o600)
	})
	return made, err
}
