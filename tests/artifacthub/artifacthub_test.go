package artifacthub_test

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/hack/release/address"
	"gitops-runtime/hack/release/chartpack"
	"gitops-runtime/internal/generated"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/artifacthub"
	"gitops-runtime/tests/manifests"
)

type change struct {
	Kind        string             `json:"kind"`
	Description string             `json:"description"`
	Links       []artifacthub.Link `json:"links"`
}

type chartFile struct {
	Name, Type, Version, Home, Icon, Description string
	Sources                                      []string
	Maintainers                                  []struct{ Name, URL string }
	Annotations                                  map[string]string
}

// read returns the Chart.yaml of every chart as a publisher with a complete address publishes it.
func read(t *testing.T, root string) []chartFile {
	t.Helper()
	product, err := address.Read(root)
	require.NoError(t, err)
	product.Repository, product.Icon = "https://git.example.com/team/repo", "https://git.example.com/team/repo/icon.svg"
	product.Maintainers = []address.Maintainer{{Name: "Ada", Email: "ada@example.com"}}
	place := chartpack.Place{Registry: "ghcr.io/team", Address: product, Revision: "main"}
	files, err := filepath.Glob(filepath.Join(root, "charts", "*", "Chart.yaml"))
	require.NoError(t, err)
	require.Len(t, files, 10)
	var all []chartFile
	for _, file := range files {
		packed, err := chartpack.Pack(t.Context(), filepath.Dir(file), place)
		require.NoError(t, err)
		text, err := yaml.Marshal(packed.Metadata)
		require.NoError(t, err)
		var chart chartFile
		require.NoError(t, yaml.Unmarshal(text, &chart))
		all = append(all, chart)
	}
	return all
}

func TestChartsAreUpToDate(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	files, err := artifacthub.Generate(root)
	require.NoError(t, err)
	require.Len(t, files, 10)
	drift, err := generated.Drift(root, files)
	require.NoError(t, err)
	assert.Empty(t, drift)
}

// The rules are those of https://artifacthub.io/docs/topics/annotations/helm: names of annotations, their types, kinds of changes, categories.
func TestRules(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	objects, err := manifests.NewValidator(t.Context(), root)
	require.NoError(t, err)
	for _, chart := range read(t, root) {
		t.Run(chart.Name, func(t *testing.T) {
			t.Parallel()
			assert.NotEmpty(t, chart.Description)
			assert.NotEmpty(t, chart.Maintainers)
			isURL(t, chart.Home)
			isURL(t, chart.Icon)
			known := []string{"category", "changes", "containsSecurityUpdates", "license", "links", "prerelease"}
			if chart.Type != "library" {
				known = append(known, "images", "crds", "crdsExamples")
			}
			for name := range chart.Annotations {
				short, ok := strings.CutPrefix(name, "artifacthub.io/")
				assert.True(t, !ok || slices.Contains(known, short), "ArtifactHub does not document %s", name)
			}
			assert.Equal(t, "Apache-2.0", chart.Annotations["artifacthub.io/license"])
			assert.Contains(t, []string{"ai-machine-learning", "database", "integration-delivery", "monitoring-logging", "networking", "security", "storage", "streaming-messaging", "skip-prediction"},
				chart.Annotations["artifacthub.io/category"])
			assert.Contains(t, []string{"true", "false"}, chart.Annotations["artifacthub.io/containsSecurityUpdates"])
			assert.Equal(t, map[bool]string{true: "true", false: "false"}[strings.Contains(chart.Version, "-")], chart.Annotations["artifacthub.io/prerelease"])
			changes(t, chart)
			named := linked(t, chart)
			assert.Contains(t, named, "support")
			assert.Contains(t, named, "Documentation")
			if chart.Type != "library" {
				images(t, chart)
				kinds(t, chart, objects)
			}
		})
	}
}

func isURL(t *testing.T, text string) {
	t.Helper()
	parsed, err := url.Parse(text)
	require.NoError(t, err)
	assert.True(t, parsed.Scheme == "https" && parsed.Host != "", "%q is not an address that ArtifactHub can display", text)
}

// list reads an annotation that is a list in YAML, without fields that are not documented.
func list[entry any](t *testing.T, chart chartFile, name string) []entry {
	t.Helper()
	var all []entry
	require.NoError(t, yaml.UnmarshalStrict([]byte(chart.Annotations["artifacthub.io/"+name]), &all), name)
	return all
}

func changes(t *testing.T, chart chartFile) {
	t.Helper()
	all := list[change](t, chart, "changes")
	assert.NotEmpty(t, all)
	for _, of := range all {
		assert.Contains(t, []string{"added", "changed", "deprecated", "removed", "fixed", "security"}, of.Kind)
		assert.NotEmpty(t, of.Description)
		for _, link := range of.Links {
			isURL(t, link.URL)
		}
	}
}

func linked(t *testing.T, chart chartFile) []string {
	t.Helper()
	var names []string
	for _, link := range list[artifacthub.Link](t, chart, "links") {
		names = append(names, link.Name)
		isURL(t, link.URL)
	}
	return names
}

func images(t *testing.T, chart chartFile) {
	t.Helper()
	all := list[artifacthub.Image](t, chart, "images")
	assert.NotEmpty(t, all)
	for _, image := range all {
		_, tag, tagged := strings.Cut(image.Image[strings.LastIndex(image.Image, "/")+1:], ":")
		assert.True(t, tagged && tag != "latest", "%s: ArtifactHub scans only images with a fixed tag", image.Image)
		assert.NotEmpty(t, image.Name)
	}
}

// kinds checks that every definition has all displayed fields, and every example is an object of one of them that the API server accepts.
func kinds(t *testing.T, chart chartFile, objects *manifests.Validator) {
	t.Helper()
	defined := map[string]string{}
	for _, definition := range list[artifacthub.Definition](t, chart, "crds") {
		for _, text := range []string{definition.Kind, definition.Version, definition.Name, definition.DisplayName, definition.Description} {
			assert.NotEmpty(t, text, definition)
		}
		assert.Empty(t, defined[definition.Kind], "%s occurs twice", definition.Kind)
		defined[definition.Kind] = definition.Version
	}
	for _, example := range list[map[string]any](t, chart, "crdsExamples") {
		kind, _ := example["kind"].(string)
		version, _ := example["apiVersion"].(string)
		assert.True(t, strings.HasSuffix(version, "/"+defined[kind]), "%s %s is not defined", version, kind)
		text, err := yaml.Marshal(example)
		require.NoError(t, err)
		assert.Empty(t, objects.Validate(string(text)))
	}
	if strings.HasPrefix(chart.Name, "argo-") || chart.Name == "gitops-runtime" {
		assert.Greater(t, len(defined), 2)
	}
}

// The script pushes a file with the documented fields next to a chart, as the artifact that ArtifactHub looks for.
func TestRepositoryMetadata(t *testing.T) {
	root, err := gomodule.Root()
	require.NoError(t, err)
	folder := t.TempDir()
	oras := "#!/bin/sh\nprintf '%s\\n' \"$@\" >" + folder + "/arguments\ncp artifacthub-repo.yml " + folder + "/\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "oras"), []byte(oras), 0o700))
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := exec.CommandContext(t.Context(), filepath.Join(root, "hack", "tools", "artifacthub.sh"), "registry.example.com/gitops/argo-cd", "5c1f8d6e-0000-4000-8000-000000000001").CombinedOutput()
	require.NoError(t, err, string(out))

	var pushed struct {
		RepositoryID string                         `json:"repositoryID"`
		Owners       []struct{ Name, Email string } `json:"owners"`
	}
	text, err := os.ReadFile(filepath.Join(folder, "artifacthub-repo.yml"))
	require.NoError(t, err)
	require.NoError(t, yaml.UnmarshalStrict(text, &pushed))
	assert.Equal(t, "5c1f8d6e-0000-4000-8000-000000000001", pushed.RepositoryID)
	arguments, err := os.ReadFile(filepath.Join(folder, "arguments"))
	require.NoError(t, err)
	assert.Equal(t, []string{
		"push", "registry.example.com/gitops/argo-cd:artifacthub.io",
		"--config", "/dev/null:application/vnd.cncf.artifacthub.config.v1+yaml",
		"artifacthub-repo.yml:application/vnd.cncf.artifacthub.repository-metadata.layer.v1.yaml",
	}, strings.Fields(string(arguments)))
}
