// Package version reads the version of the product from the file VERSION, and writes it wherever the repository repeats it: the Chart.yaml of every
// chart, its dependencies on other charts of the repository, the plugin of Helm, ArtifactHub's list of the product's images, and the commands in
// pages. With it go the parts of the product's address that are not only published: the registry of the hooks' image in the values, and the commands
// that install programs with Go.
package version

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"gitops-runtime/hack/release/address"
	"gitops-runtime/hack/release/checkout"
	"gitops-runtime/internal/cleantext"
)

// File is the file that contains the version, below the root of the checkout.
const File = "VERSION"

// Umbrella is the chart of the runtime.
const Umbrella = "gitops-runtime"

// OwnImages are the charts whose appVersion is the product's version, the tag of the product's images.
func OwnImages() []string { return []string{Umbrella, "managed-cluster"} }

// Read returns the version of a checkout.
func Read(root string) (string, error) {
	text, err := checkout.Text(root, File)
	if err != nil {
		return "", fmt.Errorf("read the version: %w", err)
	}
	read := strings.TrimSpace(string(text))
	if _, err := semver.StrictNewVersion(read); err != nil {
		return "", fmt.Errorf("%s holds %q, which is not a semantic version such as 1.2.3: %w", File, cleantext.Short(read), err)
	}
	return read, nil
}

var (
	own        = regexp.MustCompile(`(?m)^version: .*$`)
	app        = regexp.MustCompile(`(?m)^appVersion: .*$`)
	dependency = regexp.MustCompile(`(?m)^(    version: ).*(\n    repository: file://)`)
	image      = regexp.MustCompile(`(?m)^(    [- ] image: )\S*/((?:gitops-runtime-installer|validate-values):).*$`)
	repository = regexp.MustCompile(`(?m)^(    repository: )\S*(/(?:gitops-runtime-installer|validate-values))$`)
)

// Stamp returns a Chart.yaml with the version in every place, and the registry of the product's images.
func Stamp(chart string, text []byte, version, images string) []byte {
	text = own.ReplaceAll(text, []byte("version: "+version))
	text = dependency.ReplaceAll(text, []byte("${1}"+version+"${2}"))
	if slices.Contains(OwnImages(), chart) {
		text = app.ReplaceAll(text, []byte("appVersion: "+version))
		text = image.ReplaceAll(text, []byte("${1}"+images+"/${2}"+version))
	}
	return text
}

// StampValues returns the values of a chart with the registry of the product's images.
func StampValues(text []byte, images string) []byte {
	return repository.ReplaceAll(text, []byte("${1}"+images+"${2}"))
}

// target matches the version in the Application of the umbrella's ci folder, install a command that installs a program with Go.
var (
	install = regexp.MustCompile(`(?m)^(\$ go install )\S+(/(?:validator|imageoverride)/cmd/[a-z-]+)(?:@\S+)?$`)
	target  = regexp.MustCompile(`(?m)^(    targetRevision: ).*$`)
	marked  = regexp.MustCompile(`(?m)^( +(?:version|tag)\s*[:=]\s*"?)[^"\s]+("?\s+# version of the chart)$`) // in examples
)

// shown returns the files that show such commands, as patterns below the root.
func shown() []string {
	return []string{"README.md", "docs/*.md", "validator/README.md", "imageoverride/README.md", "charts/*/docs/about.gotmpl", "charts/gitops-runtime/ci/argo-cd-application.yaml", "docs/examples/README.md", "docs/examples/*/*.yaml", "docs/examples/*/*.tf"}
}

// StampPage returns a page with the version in the commands that it shows. Those that install a chart name the registry of the address; those that
// install a program name a version if the Go module has a path by which Go finds it.
func StampPage(text []byte, version string, product address.Address) []byte {
	command := regexp.MustCompile(`(oci://` + regexp.QuoteMeta(product.ShownRegistry()) + `/[a-z-]+ --version )[0-9]\S*`)
	text = target.ReplaceAll(command.ReplaceAll(text, []byte("${1}"+version)), []byte("${1}"+version))
	suffix := ""
	if host, _, _ := strings.Cut(product.Module, "/"); strings.Contains(host, ".") {
		suffix = "@v" + version
	}
	text = install.ReplaceAll(text, []byte("${1}"+product.Module+"${2}"+suffix))
	return marked.ReplaceAll(text, []byte("${1}"+version+"${2}"))
}

// Generate returns the expected content of every file of a checkout that contains the version, by its path below the root.
func Generate(root string) (map[string][]byte, error) {
	version, err := Read(root)
	if err != nil {
		return nil, err
	}
	product, err := address.Read(root)
	if err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(root, "charts", "*", "Chart.yaml"))
	if err != nil {
		return nil, err
	}
	paths = append(paths, filepath.Join(root, "imageoverride", "plugins", "image-override", "plugin.yaml"))
	files := map[string][]byte{}
	stamp := func(path string, stamped func(text []byte) []byte) error {
		text, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("stamp the version: %w", err)
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		files[relative] = stamped(text)
		return nil
	}
	for _, path := range paths {
		if err := stamp(path, func(text []byte) []byte {
			return Stamp(filepath.Base(filepath.Dir(path)), text, version, product.Images())
		}); err != nil {
			return nil, err
		}
	}
	for _, chart := range OwnImages() {
		values := filepath.Join(root, "charts", chart, "values.yaml")
		if err := stamp(values, func(text []byte) []byte { return StampValues(text, product.Images()) }); err != nil {
			return nil, err
		}
	}
	for _, pattern := range shown() {
		pages, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range pages {
			if err := stamp(path, func(text []byte) []byte { return StampPage(text, version, product) }); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// Write stamps the files of a checkout that differ.
func Write(root string) error {
	files, err := Generate(root)
	if err != nil {
		return err
	}
	for relative, text := range files {
		path := filepath.Join(root, relative)
		before, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.Equal(before, text) {
			continue
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return fmt.Errorf("stamp the version: %w", err)
		}
	}
	return nil
}
