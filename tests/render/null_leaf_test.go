package render_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/render"
)

// Every value may be null, which removes its default: the chart renders without it, or the schema or a template reports that it is required. No
// template fails on a missing value.
func TestNullOfEveryLeafIsTakenOrRefused(t *testing.T) {
	t.Parallel()
	for chart, test := range map[string]struct {
		files   []string
		refused []string // required values
	}{
		"argo-cd":       {refused: []string{"global.image.repository"}},
		"argo-events":   {refused: []string{"global.image.repository"}},
		"argo-rollouts": {refused: []string{"containerSecurityContext.seccompProfile.type", "controller.image.repository"}},
		"argo-workflows": {refused: []string{
			"controller.image.repository", "crds.upgradeJob.securityContext.seccompProfile.type", "executor.image.repository",
		}},
		"tunnel-client": {files: []string{"tunnel"}, refused: []string{"enabled", "global.codefresh.accountId", "global.runtime.name", "image.repository"}},
		"tunnel-server": {files: []string{"default"}, refused: []string{
			"front.image.repository", "image.repository", "plugin.path", "plugin.url", "subdomainHost", "tls.secretName",
		}},
		"managed-cluster": {files: []string{"runtime"}, refused: []string{
			"cluster.ca", "cluster.name", "cluster.server", "namespaces", "project.sourceRepos", "rotation.image.repository", "side",
		}},
		"gitops-runtime": {files: []string{"tunnel"}, refused: []string{
			"app-proxy.image-enrichment.config.images.gitEnrichment.repository", "app-proxy.image-enrichment.config.images.jiraEnrichment.repository",
			"app-proxy.image-enrichment.config.images.reportImage.repository", "app-proxy.image.repository", "app-proxy.initContainer.image.repository",
			"app-proxy.replicaCount", "argo-workflows.enabled", "gitops-operator.image.repository", "gitops-operator.replicaCount",
			"global.codefresh.accountId", "global.codefresh.url", "global.codefresh.userToken.secretKeyRef", "global.runtime.name",
			"installer.image.repository", "internal-router.image.repository", "internal-router.replicaCount", "internal-router.service.port",
			"sealed-secrets.image.repository", "tunnel-client.enabled", "tunnel-client.tunnelServer.host", "tunnel-client.tunnelServer.subdomainHost",
		}},
	} {
		t.Run(chart, func(t *testing.T) {
			t.Parallel()
			try := func(paths ...string) error {
				set := map[string]string{}
				for _, path := range paths {
					set[path] = "null"
				}
				return render.Release{Chart: chart, Files: test.files, SetJSON: set}.Try(t)
			}
			accepted := leavesOf(t, chart)
			for _, path := range test.refused {
				before := len(accepted)
				accepted = slices.DeleteFunc(accepted, func(leaf string) bool { return leaf == path })
				assert.Less(t, len(accepted), before, "the chart has no value %s", path)
				if err := try(path); assert.Error(t, err, "%s=null is accepted", path) {
					assert.NotRegexp(t, `nil pointer|wrong type for value|error calling|incompatible types`, sentenceOf(err), "%s=null", path)
				}
			}
			err := try(accepted...)
			for err != nil && len(accepted) > 1 { // search for a rejected value
				if first := try(accepted[:len(accepted)/2]...); first != nil {
					accepted, err = accepted[:len(accepted)/2], first
				} else {
					accepted = accepted[len(accepted)/2:]
					err = try(accepted...)
				}
			}
			assert.NoError(t, err, "these values as null: %s", accepted)
		})
	}
}

// sentenceOf returns the message of an error; for an error of a template, the part after "execution error at".
func sentenceOf(err error) string {
	_, sentence, refused := strings.Cut(err.Error(), "execution error at ")
	if refused {
		return sentence
	}
	return err.Error()
}

// leavesOf returns the paths of values in a chart's values.yaml that are not maps.
func leavesOf(t *testing.T, chart string) (leaves []string) {
	t.Helper()
	var walk func(values map[string]any, path string)
	walk = func(values map[string]any, path string) {
		for key, value := range values {
			at := path + strings.ReplaceAll(key, ".", `\.`)
			if below, isMap := value.(map[string]any); isMap && len(below) > 0 {
				walk(below, at+".")
				continue
			}
			leaves = append(leaves, at)
		}
	}
	walk(load(t, chart).Values, "")
	slices.Sort(leaves)
	require.NotEmpty(t, leaves)
	return leaves
}
