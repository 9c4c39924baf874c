// Package artifacthub writes what ArtifactHub cannot determine by itself into the Chart.yaml of each chart, and implements the documented rules of
// its annotations: https://artifacthub.io/docs/topics/annotations/helm.
package artifacthub

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/Masterminds/semver/v3"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/generated"
	"gitops-runtime/tests/render"
)

const (
	umbrella = "gitops-runtime"
	prefix   = "artifacthub.io/"
)

//go:embed kinds.yaml
var kinds []byte

// shownKind contains what ArtifactHub displays about a kind.
type shownKind struct {
	Name, Description string
	Example           map[string]any
}

// Definition is an entry of the annotation crds.
type Definition struct {
	Kind        string `json:"kind"`
	Version     string `json:"version"`
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	Description string `json:"description"`
}

// Link is an entry of the annotation links.
type Link struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// Image is an entry of the annotation images.
type Image struct {
	Name  string `json:"name"`
	Image string `json:"image"`
}

// chartFile contains the fields that are read from a Chart.yaml.
type chartFile struct {
	Name, Type, Version string
	Dependencies        []struct{ Name string }
}

// Generate returns every Chart.yaml below root, by its path there, with the generated annotations; links are added when a chart is published. The images of the umbrella are written by the
// test of its golden files.
func Generate(root string) ([]generated.File, error) {
	files, err := filepath.Glob(filepath.Join(root, "charts", "*", "Chart.yaml"))
	if err != nil {
		return nil, fmt.Errorf("list the charts: %w", err)
	}
	var written []generated.File
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read a chart: %w", err)
		}
		var chart chartFile
		if err := yaml.Unmarshal(text, &chart); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		annotations, err := annotationsOf(root, chart)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if text, err = replace(text, annotations); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		path := filepath.Join("charts", filepath.Base(filepath.Dir(file)), "Chart.yaml")
		written = append(written, generated.File{Path: path, Text: text})
	}
	return written, nil
}

// annotation is an ArtifactHub annotation: its name without the prefix, and its value as written.
type annotation struct{ name, value string }

func annotationsOf(root string, chart chartFile) ([]annotation, error) {
	version, err := semver.StrictNewVersion(chart.Version)
	if err != nil {
		return nil, fmt.Errorf("the version %q: %w", chart.Version, err)
	}
	all := []annotation{{"prerelease", strconv.Quote(strconv.FormatBool(version.Prerelease() != ""))}}
	if chart.Type == "library" {
		return all, nil
	}
	definitions, examples, err := definitions(root, chart)
	if err != nil {
		return nil, err
	}
	if len(definitions) > 0 {
		listed, err := block(definitions)
		if err != nil {
			return nil, err
		}
		all = append(all, annotation{"crds", listed})
	}
	if len(examples) > 0 {
		listed, err := block(examples)
		if err != nil {
			return nil, err
		}
		all = append(all, annotation{"crdsExamples", listed})
	}
	if chart.Name == umbrella {
		return all, nil
	}
	images, err := images(root, chart.Name)
	if err != nil {
		return nil, err
	}
	listed, err := block(images)
	return append(all, annotation{"images", listed}), err
}

// definitions returns the kinds that a chart and its dependencies define, and the chart's examples.
func definitions(root string, chart chartFile) ([]Definition, []map[string]any, error) {
	var shown map[string]shownKind
	if err := yaml.UnmarshalStrict(kinds, &shown); err != nil {
		return nil, nil, fmt.Errorf("kinds.yaml: %w", err)
	}
	charts := []string{chart.Name}
	for _, dependency := range chart.Dependencies {
		charts = append(charts, dependency.Name)
	}
	var all []Definition
	var examples []map[string]any
	for _, name := range charts {
		own, err := customResources(filepath.Join(root, "charts", name, "files", "crds"))
		if err != nil {
			return nil, nil, err
		}
		for _, resource := range own {
			kind := resource.Spec.Names.Kind
			entry, known := shown[kind]
			if !known {
				return nil, nil, fmt.Errorf("kinds.yaml does not describe the kind %s", kind)
			}
			version, err := stored(resource)
			if err != nil {
				return nil, nil, err
			}
			all = append(all, Definition{Kind: kind, Version: version, Name: resource.Name, DisplayName: entry.Name, Description: entry.Description})
			if entry.Example != nil {
				examples = append(examples, entry.Example)
			}
		}
	}
	return all, examples, nil
}

// customResources returns the definitions in a folder, each once; of duplicates, those with the full schema are omitted.
func customResources(folder string) ([]apiextensions.CustomResourceDefinition, error) {
	var all []apiextensions.CustomResourceDefinition
	err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || entry.IsDir() {
			if entry != nil && entry.Name() == "full" {
				return fs.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var resource apiextensions.CustomResourceDefinition
		if err := yaml.Unmarshal(text, &resource); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, resource)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read definitions: %w", err)
	}
	return all, nil
}

func stored(resource apiextensions.CustomResourceDefinition) (string, error) {
	for _, version := range resource.Spec.Versions {
		if version.Storage {
			return version.Name, nil
		}
	}
	return "", fmt.Errorf("%s has no stored version", resource.Name)
}

var reference = regexp.MustCompile(`[iI]mage(?:"?: "?|=)([a-z0-9.-]+/[a-z0-9./_-]+:[A-Za-z0-9._-]+)`)

// images returns the images that a chart runs by default, or with any values file of its ci folder.
func images(root, chart string) ([]Image, error) {
	files, err := filepath.Glob(filepath.Join(root, "charts", chart, "ci", "*-values.yaml"))
	if err != nil {
		return nil, fmt.Errorf("list the values files: %w", err)
	}
	var found []string
	for _, file := range files {
		objects, err := render.Release{Chart: chart, Files: []string{strings.TrimSuffix(filepath.Base(file), "-values.yaml")}}.Read()
		if err != nil {
			return nil, err
		}
		for _, object := range objects {
			text, err := yaml.Marshal(object.Object)
			if err != nil {
				return nil, err
			}
			for _, match := range reference.FindAllSubmatch(text, -1) {
				found = append(found, string(match[1]))
			}
		}
	}
	slices.Sort(found)
	var all []Image
	for _, image := range slices.Compact(found) {
		name, _, _ := strings.Cut(path.Base(image), ":")
		all = append(all, Image{Name: name, Image: image})
	}
	return all, nil
}

// block returns a value as YAML in a block of text, ArtifactHub's format for lists.
func block(value any) (string, error) {
	text, err := yaml.Marshal(value)
	if err != nil {
		return "", err
	}
	return "|\n    " + strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "\n    "), nil
}

// replace replaces annotations of a Chart.yaml with those of the same names, and appends the others.
func replace(text []byte, annotations []annotation) ([]byte, error) {
	for _, of := range annotations {
		line := "  " + prefix + of.name + ": " + of.value + "\n"
		present := regexp.MustCompile(`(?m)^  ` + regexp.QuoteMeta(prefix+of.name) + `: .*\n(?:    .*\n)*`)
		if present.Match(text) {
			text = present.ReplaceAllLiteral(text, []byte(line))
			continue
		}
		head := []byte("annotations:\n")
		at := bytes.Index(text, head)
		if at < 0 {
			return nil, errors.New("there are no annotations to add to")
		}
		end := at + len(head)
		for end < len(text) && text[end] == ' ' {
			end += bytes.IndexByte(text[end:], '\n') + 1
		}
		text = slices.Concat(text[:end], []byte(line), text[end:])
	}
	return text, nil
}
