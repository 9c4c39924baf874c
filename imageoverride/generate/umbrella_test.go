package generate_test

import (
	"context"
	"io"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/imageoverride/chartsource"
	"gitops-runtime/imageoverride/generate"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/render"
	"gitops-runtime/imageoverride/values"
)

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard)
	os.Exit(m.Run())
}

const (
	umbrella = "../../charts/gitops-runtime"
	private  = "registry.corp:5000/gitops"
)

// modes are the access modes with everything on that can be, as scenarios.
func modes(t *testing.T) []generate.Scenario {
	t.Helper()
	files, err := filepath.Glob(umbrella + "/ci/*-values.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var all []generate.Scenario
	for _, file := range files {
		all = append(all, generate.Scenario{
			Name:   strings.TrimSuffix(filepath.Base(file), "-values.yaml"),
			Values: generate.Values{Files: []string{file}},
		})
	}
	return all
}

// TestUmbrella proves the umbrella in all access modes, and then looks at
// Helm's own output by other means than the tool's.
func TestUmbrella(t *testing.T) {
	engine := helm(t)
	base := map[string]any{"global": map[string]any{"codefresh": map[string]any{"accountId": "acc1"}}}
	for _, strategy := range mapping.Strategies() {
		t.Run(strategy, func(t *testing.T) {
			scenarios := modes(t)
			if strategy != string(mapping.HostPrefix) {
				scenarios = scenarios[:1]
			}
			result, err := generate.Run(context.Background(), generate.Options{
				Chart: umbrella, Registry: private, Strategy: mapping.Strategy(strategy),
				Values: generate.Values{Tree: base}, Scenarios: scenarios,
			})
			require.NoError(t, err)
			require.Empty(t, result.Outside)
			require.Empty(t, result.Unreached)
			require.Empty(t, result.Changes)
			require.Empty(t, result.Unread)
			require.NotEmpty(t, result.Mirror)
			for i, scenario := range scenarios {
				for _, file := range []string{generate.NoTagsFile, generate.WithTagsFile} {
					if i > 0 && file == generate.WithTagsFile {
						continue // the same names, and one render saved
					}
					var overrides map[string]any
					require.NoError(t, yaml.Unmarshal(result.Files[file], &overrides))
					text, err := template(engine, values.Merge(values.Merge(base, readValues(t, scenario.Values.Files[0])), overrides))
					require.NoError(t, err)
					require.Empty(t, strangers(text), "%s with %s", scenario.Name, file)
					require.Empty(t, missingTargets(text, result.Mirror), "%s with %s", scenario.Name, file)
				}
			}
		})
	}
}

// TestUmbrellaToggles makes one file for everything and installs with each of
// the sixteen sets of Argo projects.
func TestUmbrellaToggles(t *testing.T) {
	mode := umbrella + "/ci/ingress-values.yaml"
	result, err := generate.Run(context.Background(), generate.Options{
		Chart: umbrella, Registry: private, Values: generate.Values{Files: []string{mode}}, Everything: true,
	})
	require.NoError(t, err)
	require.Empty(t, result.Outside)
	require.Empty(t, result.Changes)
	engine := helm(t)
	projects := []string{"argo-cd", "argo-rollouts", "argo-workflows", "argo-events"}
	for set := range 1 << len(projects) {
		user := readValues(t, mode)
		for i, project := range projects {
			user = values.Merge(user, map[string]any{project: map[string]any{"enabled": set>>i&1 == 1}})
		}
		text, err := template(engine, values.Merge(user, result.Values))
		if err != nil {
			// A set may be refused, but then also without our values.
			_, without := template(engine, user)
			require.Error(t, without, "set %04b: %v", set, err)
			continue
		}
		require.Empty(t, strangers(text), "set %04b", set)
		require.Empty(t, missingTargets(text, result.Mirror), "set %04b", set)
	}
}

func readValues(t *testing.T, path string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var tree map[string]any
	require.NoError(t, yaml.Unmarshal(data, &tree))
	return tree
}

// helm is Helm's own engine, with one chart loaded.
func helm(t *testing.T) *render.Renderer {
	t.Helper()
	loaded, err := chartsource.Load(context.Background(), umbrella)
	require.NoError(t, err)
	renderer, err := render.NewRenderer(loaded, render.Settings{})
	require.NoError(t, err)
	return renderer
}

// template renders with Helm's engine; the definitions of custom resources are
// left out.
func template(renderer *render.Renderer, user map[string]any) (string, error) {
	output, err := renderer.RenderWithHelm(user)
	if err != nil {
		return "", err
	}
	var all strings.Builder
	for _, document := range output.Documents {
		if !document.Definition() {
			all.WriteString(document.Text + "\n")
		}
	}
	return all.String(), nil
}

var (
	hosted     = regexp.MustCompile(`[a-z0-9./:_-]*\b(docker\.io|quay\.io|ghcr\.io|gcr\.io|public\.ecr\.aws|registry\.k8s\.io)/[a-z0-9./:@_-]+`)
	imageField = regexp.MustCompile(`(?i)image"?: *"?([^\s"#]+)`)
	reference  = regexp.MustCompile(`registry\.corp:5000/gitops/[^\s"',]+`)
)

// strangers are texts that look like images elsewhere: public hosts anywhere,
// and anything in a field whose name ends in "image".
func strangers(text string) []string {
	var all []string
	for _, found := range hosted.FindAllString(text, -1) {
		if !strings.HasPrefix(strings.TrimPrefix(found, "//"), private+"/") && strings.Contains(found, ":") && !strings.Contains(found, "://") && !strings.HasPrefix(found, "//") {
			all = append(all, found)
		}
	}
	for _, found := range imageField.FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(found[1], private+"/") {
			all = append(all, found[1])
		}
	}
	return all
}

// missingTargets are private images in a text that the mirror does not make.
func missingTargets(text string, pairs []mapping.Pair) []string {
	made := map[string]bool{}
	for _, pair := range pairs {
		made[pair.Target] = true
	}
	var all []string
	for _, found := range reference.FindAllString(text, -1) {
		if !made[found] {
			all = append(all, found)
		}
	}
	return all
}

func TestUmbrellaIsReproducible(t *testing.T) {
	options := generate.Options{Chart: umbrella, Registry: private, Scenarios: modes(t)[:1]}
	options.Values.Set = []string{"global.codefresh.accountId=acc1"}
	first, err := generate.Run(context.Background(), options)
	require.NoError(t, err)
	for range 2 {
		again, err := generate.Run(context.Background(), options)
		require.NoError(t, err)
		require.Equal(t, first.Files, again.Files)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := generate.Run(ctx, generate.Options{Chart: umbrella, Registry: private})
	require.ErrorIs(t, err, context.Canceled)
}

func BenchmarkUmbrella(b *testing.B) {
	options := generate.Options{Chart: umbrella, Registry: private, Values: generate.Values{
		Files: []string{umbrella + "/ci/tunnel-values.yaml"}, Set: []string{"global.codefresh.accountId=acc1"},
	}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := generate.Run(context.Background(), options); err != nil {
			b.Fatal(err)
		}
	}
}
