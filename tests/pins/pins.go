package pins

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"golang.org/x/mod/modfile"

	"gitops-runtime/hack/release/address"
	"gitops-runtime/internal/vulnerable"
)

// Pin is a version of an image or module in a file of the repository.
type Pin struct {
	// What is the repository of an image, or the path of a Go module.
	What string
	// Version is the image's tag, or the module's version.
	Version string
	// File is where it is pinned.
	File string
	// Program is the folder of tests/e2e/programs the go.mod is in; empty for images and for the repository's own go.mod.
	Program string
}

// Pins lists the images in the charts' default values and the modules that the repository's go.mod files and those of
// tests/e2e/programs require.
func Pins(root string) ([]Pin, error) {
	pins, err := modules(root, "go.mod", "")
	if err != nil {
		return nil, err
	}
	local, err := modules(root, filepath.Join("tests", "e2e", "go.mod"), "")
	if err != nil {
		return nil, err
	}
	pins = append(pins, local...)
	programs, err := filepath.Glob(filepath.Join(root, "tests", "e2e", "programs", "*", "go.mod"))
	if err != nil {
		return nil, err
	}
	for _, file := range programs {
		program := filepath.Base(filepath.Dir(file))
		required, err := modules(root, filepath.Join("tests", "e2e", "programs", program, "go.mod"), program)
		if err != nil {
			return nil, err
		}
		pins = append(pins, required...)
	}
	product, err := address.Read(root)
	if err != nil {
		return nil, err
	}
	charts, err := filepath.Glob(filepath.Join(root, "charts", "*", "values.yaml"))
	if err != nil {
		return nil, err
	}
	for _, file := range charts {
		named, err := ImagesOf(file)
		if err != nil {
			return nil, err
		}
		for _, image := range named {
			if strings.HasPrefix(image, product.Images()+"/") {
				continue // built from this checkout
			}
			tag, err := name.NewTag(image)
			if err != nil {
				return nil, fmt.Errorf("%s: image %q: %w", file, image, err)
			}
			pins = append(pins, Pin{What: repository(tag), Version: tag.TagStr(), File: relative(root, file)})
		}
	}
	return pins, nil
}

func modules(root, file, program string) ([]Pin, error) {
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return nil, err
	}
	parsed, err := modfile.Parse(file, text, nil)
	if err != nil {
		return nil, err
	}
	var pins []Pin
	for _, required := range parsed.Require {
		pins = append(pins, Pin{What: required.Mod.Path, Version: required.Mod.Version, File: file, Program: program})
	}
	return pins, nil
}

// repository is the repository as charts write it, with docker.io for Docker Hub.
func repository(tag name.Tag) string {
	return strings.Replace(tag.Repository.Name(), name.DefaultRegistry, "docker.io", 1)
}

func relative(root, file string) string {
	short, err := filepath.Rel(root, file)
	if err != nil {
		return file
	}
	return short
}

// of reports whether the pin is one of the product. A library that a third-party program links is its publisher's choice.
func (p Pin) of(product vulnerable.Product) bool {
	switch {
	case slices.Contains(product.Images, p.What):
		return true
	case p.What != product.Module:
		return false
	case p.Program == "":
		return product.Linked
	default:
		return p.Program == product.Program
	}
}

// isImage reports whether a pin is an image rather than a module.
func (p Pin) isImage() bool { return strings.HasSuffix(p.File, "values.yaml") }
