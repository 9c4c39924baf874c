package doctorcmd_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/doctorcmd"
	"gitops-runtime/validator/validatecmd"
)

const applications = "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/"

// argoCD makes the runtime that of an Application, whose last sync is given.
func (w *world) argoCD(t testing.TB, operation tree) {
	t.Helper()
	w.Remove(core("secrets", "sh.helm.release.v1.cf.v3"))
	w.args = []string{"--chart", filepath.Join(root, "charts", helmchart.Umbrella)}
	w.Add(installer(tree{"releaseName": "cf", "valuesObject": w.release.Config}, operation))
}

func installer(helm, operation tree) tree {
	return tree{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": tree{"name": "runtime", "namespace": "argocd"},
		"spec": tree{
			"destination": tree{"server": "https://kubernetes.default.svc", "namespace": namespace},
			"source":      tree{"repoURL": "registry.example.com/gitops", "chart": "gitops-runtime", "targetRevision": "1.*", "helm": helm},
		},
		"status": tree{
			"sync": tree{"status": "Synced", "revision": "1.0.0"}, "operationState": operation,
			"resources": []any{tree{"group": "apps", "kind": "Deployment", "namespace": namespace, "name": "cap-app-proxy"}},
		},
	}
}

// A runtime that Argo CD has installed is examined like a Helm release, and its fixes are those of Argo CD.
func TestInstalledByArgoCD(t *testing.T) {
	t.Parallel()
	w := healthy(t, "tunnel")
	w.argoCD(t, tree{"phase": "Succeeded"})
	w.change(t, deployments+"internal-router", func(of tree) {
		of["metadata"].(tree)["labels"].(tree)["app.kubernetes.io/instance"] = "runtime" // by which Argo CD tracks it
	})
	code, out := examine(t, w)
	assert.Equal(t, 0, code, out)
	assert.Empty(t, out)
	w.Remove(core("secrets", "codefresh-workflow-pipelines-tls"))
	code, out = examine(t, w, "-o", "text="+filepath.Join(t.TempDir(), "out"), "--bundle", filepath.Join(t.TempDir(), "bundle.tar.gz"))
	assert.Equal(t, 3, code, out)
	code, out, failed := run(t, map[string]*world{"": w}, "doctor", "--release", "other", w.args[0], w.args[1])
	assert.Equal(t, 3, code, failed)
	assert.Contains(t, out, "argocd app sync runtime --app-namespace argocd")
	assert.NotContains(t, out, "helm rollback")
}

// Without a release and an Application, the user gives values and chart.
func TestInstalledElsewhere(t *testing.T) {
	t.Parallel()
	w := healthy(t, "tunnel")
	w.argoCD(t, nil)
	w.Remove(applications + "runtime")
	code, out := examine(t, w)
	assert.Equal(t, 2, code)
	assert.Contains(t, out, "there is no release cf in the namespace codefresh; `helm list --namespace codefresh` names the releases, and --release chooses one. "+
		"If Argo CD on another cluster or helm template has installed the runtime, give --values with its values, --chart and --version with its chart")
	text, err := yaml.Marshal(w.release.Config)
	require.NoError(t, err)
	code, out = examine(t, w, "--values", values(t, string(text)))
	assert.Equal(t, 0, code, out)
	w.args = nil
	code, out = examine(t, w, "--values", values(t, string(text)))
	assert.Equal(t, 2, code)
	assert.Contains(t, out, "fetch it with helm pull or Git, and give it with --chart")
}

func values(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// What an Application says becomes the values, name and chart of the runtime, in the order of Argo CD.
func TestFind(t *testing.T) {
	t.Parallel()
	file := values(t, "global: {runtime: {name: of-the-file}, httpProxy: of-the-file, noProxy: of-the-file}\n")
	of := func(with func(application, source tree)) tree {
		made := installer(tree{}, nil)
		with(made, made["spec"].(tree)["source"].(tree))
		return made
	}
	for name, test := range map[string]struct {
		application tree
		files       []string
		want        string
	}{
		"texts": {of(func(_, source tree) { source["helm"] = tree{"values": "global: {runtime: {name: text}}"} }), nil, `runtime gitops-runtime 1.0.0 {"global":{"runtime":{"name":"text"}}}`},
		"all": {of(func(_, source tree) {
			source["helm"] = tree{
				"releaseName": "cf", "values": "ignored: true", "valueFiles": []any{"$values/runtime.yaml"}, "valuesObject": tree{"global": tree{"runtime": tree{"name": "object"}, "httpProxy": "object"}},
				"parameters": []any{tree{"name": "global.runtime.name", "value": "a,b"}, tree{"name": "global.count", "value": "1", "forceString": true}, tree{"name": "list", "value": "{a,b}"}},
			}
		}), []string{file}, `cf gitops-runtime 1.0.0 {"global":{"count":"1","httpProxy":"object","noProxy":"of-the-file","runtime":{"name":"a,b"}},"list":["a","b"]}`},
		"sources": {of(func(application, source tree) {
			spec := application["spec"].(tree)
			delete(spec, "source")
			spec["sources"] = []any{tree{"repoURL": "https://git.example.com/values", "ref": "values"}, source}
			application["status"].(tree)["sync"] = tree{"revisions": []any{"abc", "1.2.3"}}
		}), nil, `runtime gitops-runtime 1.2.3 {}`},
		"files":        {of(func(_, source tree) { source["helm"] = tree{"valueFiles": []any{"a.yaml"}} }), nil, "the Application argocd/runtime installs the runtime with values from files in Git (a.yaml): check them out, and give each with --values"},
		"wrong values": {of(func(_, source tree) { source["helm"] = tree{"values": "a: [canary"} }), nil, "the values of the Application argocd/runtime: "},
		"another chart": {of(func(application, source tree) {
			application["spec"].(tree)["sources"] = []any{tree{"path": "a"}, tree{"path": "b"}}
		}), nil, "none of its sources is the chart gitops-runtime"},
		"another cluster": {of(func(application, _ tree) { application["spec"].(tree)["destination"] = tree{"server": "https://other"} }), nil, "there is no release cf in the namespace codefresh"},
		"another runtime": {of(func(application, _ tree) { application["status"].(tree)["resources"] = []any{} }), nil, "there is no release cf in the namespace codefresh"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := healthy(t, "tunnel")
			w.argoCD(t, nil)
			w.Add(test.application)
			server := httptest.NewServer(w)
			t.Cleanup(server.Close)
			client, err := cluster.New(server.URL, server.Client())
			require.NoError(t, err)
			found, err := doctorcmd.Find(t.Context(), client, validatecmd.Options{Namespace: namespace, Release: "cf", Values: helmvalues.Options{Files: test.files}})
			if err != nil {
				assert.Contains(t, err.Error(), test.want)
				assert.NotContains(t, err.Error(), "canary")
				return
			}
			text, err := json.Marshal(found.Config)
			require.NoError(t, err)
			assert.Equal(t, test.want, strings.Join([]string{found.Name, found.Chart.Metadata.Name, found.Chart.Metadata.Version, string(text)}, " "))
		})
	}
}
