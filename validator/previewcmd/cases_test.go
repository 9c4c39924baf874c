package previewcmd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/release"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmrender"
	"gitops-runtime/internal/testkit"
	"gitops-runtime/internal/webpage/webpagetest"
	"gitops-runtime/tests/render"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/local"
	"gitops-runtime/validator/preview"
	"gitops-runtime/validator/previewcmd"
	"gitops-runtime/validator/validatecmd"
)

var update = flag.Bool("update", false, "write what the cases print into their files")

// world is the section "world" of a case: the cluster, and the releases that Helm stored in it. Without it there is no cluster.
type world struct {
	// Answers are the bodies of responses by API path, and Status the status of paths that contain a word.
	Answers map[string]any
	Status  map[string]int
	// Kinds are the kinds that the cluster serves by API version; "*" after a name means that the kind is namespaced.
	Kinds    map[string][]string
	Releases []storedRelease

	mu      sync.Mutex
	changed []string // requests that do not read
	secrets []string // requests for Secrets
}

// storedRelease is a release in the cluster: a chart of the case, rendered with values of the case.
type storedRelease struct {
	Name, Chart, Values, Status string
	Revision                    int
	// Raw is the entry of the Secret instead.
	Raw string
}

// TestCases runs each case: the section args, world and want, and files by their names. A file base.yaml, the values or templates of charts are written into
// the working directory.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.Greater(t, len(files), 15)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			absolute, err := filepath.Abs(file)
			require.NoError(t, err)
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			got := runCase(t, archive)
			for i, section := range archive.Files {
				if section.Name != "want" {
					continue
				}
				if *update {
					archive.Files[i].Data = []byte(got)
					require.NoError(t, os.WriteFile(absolute, txtar.Format(archive), 0o600))
					return
				}
				assert.Equal(t, string(section.Data), got)
				return
			}
			assert.Fail(t, "the case has no section want")
		})
	}
}

func runCase(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	t.Chdir(t.TempDir())
	var args []string
	var spec *world
	for _, section := range archive.Files {
		switch section.Name {
		case "args":
			args = strings.Fields(string(section.Data))
		case "world":
			spec = &world{}
			require.NoError(t, yaml.UnmarshalStrict(section.Data, spec))
		case "want":
		default:
			testkit.WriteFile(t, section.Name, string(section.Data))
		}
	}
	code, out := runPreview(t, spec, args...)
	return fmt.Sprintf("exit %d\n%s", code, out)
}

// runPreview runs the command in the working directory and returns its exit code, output and errors.
func runPreview(t *testing.T, spec *world, args ...string) (int, string) {
	t.Helper()
	connect := func(context.Context, validatecmd.Connection) (validatecmd.Cluster, string, error) {
		return nil, "", errors.New("kubeconfig: there is no cluster here")
	}
	if spec != nil {
		api := httptest.NewServer(spec.handler(t))
		t.Cleanup(api.Close)
		connect = func(context.Context, validatecmd.Connection) (validatecmd.Cluster, string, error) {
			client, err := cluster.New(api.URL, api.Client())
			return client, "default", err
		}
	}
	var out, errs bytes.Buffer
	code := validatecmd.Main(t.Context(), append([]string{"preview", "--search", "1m"}, args...), validatecmd.System{
		In: strings.NewReader(""), Out: &out, Err: &errs, Version: "0.1.0", Now: time.Now, Getenv: func(string) string { return "" },
		Connect: connect, Registries: &local.Registries{}, Preview: previewcmd.Command,
	})
	if spec != nil {
		assert.Empty(t, spec.changed, "the command only reads")
		for _, path := range spec.secrets {
			assert.True(t, strings.Contains(path, "/secrets/") || strings.Contains(path, "labelSelector=owner%3Dhelm"), "Secrets are read by name: %s", path)
		}
	}
	text := out.String()
	for line := range strings.Lines(errs.String()) {
		if !strings.Contains(line, "still busy") {
			text += line
		}
	}
	return code, text
}

// handler is a small API server.
func (w *world) handler(t *testing.T) http.Handler {
	t.Helper()
	answers := map[string]any{"/version": map[string]any{"gitVersion": "v1.34.4"}}
	groups := []any{}
	for _, version := range slices.Sorted(maps.Keys(w.Kinds)) {
		var list []any
		for _, kind := range w.Kinds[version] {
			name, namespaced := strings.CutSuffix(kind, "*")
			list = append(list, map[string]any{"kind": name, "name": strings.ToLower(name) + "s", "namespaced": namespaced})
		}
		path := "/apis/" + version
		if group, _, named := strings.Cut(version, "/"); named {
			groups = append(groups, map[string]any{"name": group, "versions": []any{map[string]any{"groupVersion": version}}})
		} else {
			path = "/api/" + version
		}
		answers[path] = map[string]any{"resources": list}
	}
	answers["/apis"] = map[string]any{"groups": groups}
	for _, kind := range []string{"/api/v1/namespaces/codefresh/services", "/apis/policy/v1/namespaces/codefresh/poddisruptionbudgets", "/apis/networking.k8s.io/v1/namespaces/codefresh/networkpolicies"} {
		answers[kind] = map[string]any{"items": []any{}}
	}
	w.store(t, answers)
	maps.Copy(answers, w.Answers)
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		if r.Method != http.MethodGet {
			w.changed = append(w.changed, r.Method+" "+r.URL.Path)
		}
		if strings.Contains(r.URL.Path, "/secrets") {
			w.secrets = append(w.secrets, r.URL.String())
		}
		w.mu.Unlock()
		for word, status := range w.Status {
			if strings.Contains(r.URL.Path, word) {
				out.WriteHeader(status)
				return
			}
		}
		answer, known := answers[r.URL.Path]
		if of := r.URL.Query().Get("labelSelector"); known && of != "" {
			answer = selected(answer, of[strings.LastIndex(of, "=")+1:])
		}
		if !known {
			out.WriteHeader(http.StatusNotFound)
			return
		}
		_ = json.NewEncoder(out).Encode(answer)
	})
}

// selected returns the Secrets of the releases with a name.
func selected(list any, release string) any {
	items := slices.DeleteFunc(slices.Clone(list.(map[string]any)["items"].([]any)), func(item any) bool {
		return item.(map[string]any)["metadata"].(map[string]any)["labels"].(map[string]any)["name"] != release
	})
	return map[string]any{"items": items}
}

// store adds the Secrets of the releases.
func (w *world) store(t *testing.T, answers map[string]any) {
	t.Helper()
	const secrets = "/api/v1/namespaces/codefresh/secrets"
	items := []any{}
	for _, one := range w.Releases {
		name := fmt.Sprintf("sh.helm.release.v1.%s.v%d", one.Name, one.Revision)
		content := []byte(one.Raw)
		if one.Raw == "" {
			content = one.pack(t)
		}
		items = append(items, map[string]any{"metadata": map[string]any{
			"name": name, "labels": map[string]any{"owner": "helm", "name": one.Name, "status": one.Status, "version": strconv.Itoa(one.Revision)},
		}})
		answers[secrets+"/"+name] = map[string]any{"data": map[string][]byte{"release": content}}
	}
	answers[secrets] = map[string]any{"items": items}
}

func (s storedRelease) pack(t *testing.T) []byte {
	t.Helper()
	loaded, err := helmchart.Load(t.Context(), helmchart.Source{Name: s.Chart})
	require.NoError(t, err)
	values := map[string]any{}
	if s.Values != "" {
		text, err := os.ReadFile(s.Values)
		require.NoError(t, err)
		require.NoError(t, yaml.Unmarshal(text, &values))
	}
	made, err := helmrender.New(loaded).Release(values, helmrender.Options{Name: s.Name, Namespace: "codefresh"})
	require.NoError(t, err)
	made.Version, made.Info.Status = s.Revision, release.Status(s.Status)
	made.Chart = &chart.Chart{Metadata: loaded.Metadata, Templates: loaded.Templates, Values: loaded.Values}
	stored, err := render.Stored(made)
	require.NoError(t, err)
	return stored
}

// The other formats have what the text has: JSON every item, Markdown and HTML every object.
func TestFormats(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/everything.txtar")
	require.NoError(t, err)
	got := runCase(t, withArgs(archive, "-o text -o json=r.json -o html=r.html -o markdown=r.md -o short=r.txt"))
	require.True(t, strings.HasPrefix(got, "exit "), got)
	read := func(name string) string {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		return string(text)
	}
	var report preview.Report
	require.NoError(t, json.Unmarshal([]byte(read("r.json")), &report))
	assert.Equal(t, preview.Schema, report.Schema)
	assert.Empty(t, webpagetest.Faults(read("r.html")))
	items := 0
	for _, section := range report.Sections {
		for _, item := range section.Items {
			items++
			for _, name := range []string{"r.html", "r.md"} {
				assert.Contains(t, read(name), item.Object, name)
			}
			assert.Contains(t, got, item.Object)
		}
		assert.Contains(t, read("r.txt"), section.Title+": "+section.Summary())
	}
	assert.Greater(t, items, 25)
}

func withArgs(archive *txtar.Archive, more string) *txtar.Archive {
	changed := &txtar.Archive{Files: slices.Clone(archive.Files)}
	for i, section := range changed.Files {
		if section.Name == "args" {
			changed.Files[i].Data = append(slices.Clone(section.Data), []byte("\n"+more)...)
		}
	}
	return changed
}
