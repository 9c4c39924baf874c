package render_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/render"
)

// TestOpenShiftChoosesUsers tests that with the preset for OpenShift no object, including strings in ConfigMaps, sets a user or a group of a pod.
func TestOpenShiftChoosesUsers(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	fixed := regexp.MustCompile(`\\?"?(runAsUser|runAsGroup|fsGroup)\\?"?: ?[0-9]+`)
	named := func(release render.Release) []string {
		var found []string
		for _, object := range release.Objects(t) {
			if object.GetKind() == "CustomResourceDefinition" {
				continue
			}
			text, err := yaml.Marshal(object.Object)
			require.NoError(t, err)
			for _, match := range fixed.FindAllString(string(text), -1) {
				found = append(found, object.GetKind()+"/"+object.GetName()+" "+match)
			}
		}
		return found
	}
	files := []string{root + "/charts/gitops-runtime/values-ha.yaml"}
	assert.Empty(t, named(render.Release{Chart: "gitops-runtime", Files: []string{"openshift"}}))
	assert.Empty(t, named(render.Release{Chart: "gitops-runtime", Files: []string{"openshift"}, Values: files}))
	assert.Greater(t, len(named(render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}})), 20)
}
