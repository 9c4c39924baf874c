// Package mapping determines the target of each image: one function from the reference that a chart renders to the reference in the private registry.
// Values files, lists, CSV and the mirror all use this package, so they cannot disagree.
package mapping

import (
	"fmt"
	"strings"

	"github.com/distribution/reference"

	"gitops-runtime/internal/cleantext"
)

// Image is a parsed image reference, fully qualified.
type Image struct {
	// Host is the registry with its port if any, for instance "quay.io".
	Host string
	// Path is the repository below the host, for instance "library/nats".
	Path string
	// Tag is the tag without its colon; empty if the reference has none.
	Tag string
	// Digest is "sha256:..."; empty if the reference has none.
	Digest string
}

// maxLength is above the length in bytes of any reference: names have at most 255, tags 128, digests fewer than 200.
const maxLength = 1024

// Parse reads a reference the way container runtimes do: "nats:2" is
// "docker.io/library/nats:2".
func Parse(text string) (Image, error) {
	var named reference.Named
	err := reference.ErrNameTooLong
	if len(text) <= maxLength {
		named, err = reference.ParseNormalizedNamed(text)
	}
	if err != nil {
		return Image{}, fmt.Errorf("%q is not an image reference: %w", cleantext.Image(text), err)
	}
	if strings.HasPrefix(text, "[") {
		return Image{}, fmt.Errorf("%q names its registry by an IPv6 address, which container tools do not support; use a host name", text)
	}
	image := Image{Host: reference.Domain(named), Path: reference.Path(named)}
	if tagged, ok := named.(reference.Tagged); ok {
		image.Tag = tagged.Tag()
	}
	if digested, ok := named.(reference.Digested); ok {
		image.Digest = digested.Digest().String()
	}
	return image, nil
}

// Name returns the reference without tag and digest.
func (i Image) Name() string { return i.Host + "/" + i.Path }

// Suffix returns ":tag", "@digest", both or "", as written in references.
func (i Image) Suffix() string {
	suffix := ""
	if i.Tag != "" {
		suffix += ":" + i.Tag
	}
	if i.Digest != "" {
		suffix += "@" + i.Digest
	}
	return suffix
}

// String returns the fully qualified reference, without adding a tag.
func (i Image) String() string { return i.Name() + i.Suffix() }

// Pinned returns the reference, with ":latest" if it has neither tag nor digest.
func (i Image) Pinned() string {
	if i.Tag == "" && i.Digest == "" {
		i.Tag = "latest"
	}
	return i.String()
}

// Within reports whether the image is in a registry, which may have a path ("registry.corp/gitops").
func (i Image) Within(registry string) bool {
	return strings.HasPrefix(i.Name(), strings.TrimSuffix(registry, "/")+"/")
}
