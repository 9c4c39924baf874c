package generate

import (
	"fmt"
	"slices"

	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/proof"
)

// pairs creates the mirror table. An image that is already private is looked up in the table of an earlier run, so that a second run changes nothing.
func (r *run) pairs() error {
	var images []mapping.Image
	add := func(image mapping.Image) { images = append(images, r.source(image)) }
	extra := map[string]bool{}
	for _, text := range r.options.ExtraImages {
		image, err := mapping.Parse(text)
		if err != nil {
			return fmt.Errorf("extra image: %w", err)
		}
		add(image)
		extra[image.Name()] = true
	}
	for _, scenario := range r.scenarios {
		for _, location := range scenario.Locations {
			image := location.Image
			switch {
			case r.volatile[location]:
			case !location.NameOnly:
				add(image)
			case location.Tag != "":
				image.Tag = location.Tag
				add(image)
			case !r.mapper.Private(image) && !extra[image.Name()] && !r.accepts(proof.Place(location.Field), location.Text()) && !slices.Contains(r.result.NameOnly, image.Name()):
				r.result.NameOnly = append(r.result.NameOnly, image.Name())
			}
		}
	}
	var err error
	r.result.Mirror, err = r.mapper.Pairs(images)
	return err
}

// source returns the source of an image that is already private, from the table of an earlier run; any other image is its own source. A reference to
// which a digest was added later is found in the table by its tag, or by its name if it has no tag.
func (r *run) source(image mapping.Image) mapping.Image {
	if !r.mapper.Private(image) {
		return image
	}
	same := []func(target mapping.Image) bool{
		func(target mapping.Image) bool { return target.Pinned() == image.Pinned() },
		func(target mapping.Image) bool {
			return image.Tag != "" && target.String() == image.Name()+":"+image.Tag
		},
		func(target mapping.Image) bool { return image.Tag == "" && target.Name() == image.Name() },
	}
	for _, matches := range same {
		var found []mapping.Image
		for _, pair := range r.earlier.pairs {
			source, err := mapping.Parse(pair.Source)
			if err != nil {
				continue
			}
			target := r.mapper.Target(source)
			if target.Pinned() == pair.Target && matches(target) {
				found = append(found, source)
			}
		}
		if len(found) == 1 {
			return found[0]
		}
	}
	return image
}
