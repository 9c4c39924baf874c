package published

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/internal/facts"
	"gitops-runtime/tests/contract"
	"gitops-runtime/tests/render"
)

var names = Options{Release: "rlsname", Namespace: "nspname", Runtime: "rtmname", Account: "accaccaccaccaccaccaccacc", Image: "standin:dev"}

func factsOf(objects []*unstructured.Unstructured) facts.Facts {
	var all []map[string]any
	for _, object := range objects {
		all = append(all, object.Object)
	}
	return facts.Of(all)
}

// The manifests have the facts of the published chart, except what makes its containers work instead of the stand-in.
func TestObjectsHaveTheFactsOfThePublishedChart(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{contract.Base, "ingress", "ext-pw", "ha-redisha", "argo-ha", "networkpolicy-argo"} {
		options := names
		options.Mode = mode
		objects, err := Objects(options)
		require.NoError(t, err)
		made := factsOf(objects)
		want, err := contract.Rendered(contract.Version, mode)
		require.NoError(t, err)
		compared := 0
		for _, change := range facts.Diff(want, made) {
			_, _, inContainer := strings.Cut(change.Path, "].")
			standIn := inContainer && !strings.Contains(change.Path, "].port.") || strings.HasPrefix(change.Path, "volume(") || strings.HasPrefix(change.Path, "pod.securityContext.") || change.Path == "pod.automountServiceAccountToken"
			hook := want[change.Object]["annotation.helm.sh/hook"] != ""
			text := strings.HasPrefix(change.Object, "ConfigMap/") && strings.Contains(change.Path, "[")
			if change.Before != nil && !standIn && !hook && !text && !strings.HasPrefix(change.Object, "RIGHTS ") {
				assert.Fail(t, "a fact differs", "%s: %s", mode, change)
			}
		}
		for object := range made {
			compared += len(want[object])
		}
		assert.Greater(t, compared, 700, mode)
	}
}

// The names of a release replace those of the facts, and Secrets have the given values.
func TestNamesOfTheRelease(t *testing.T) {
	t.Parallel()
	objects, err := Objects(Options{Release: "rel", Namespace: "space", Runtime: "run", Account: "acc", Image: "standin:dev", Secrets: map[string]string{"codefresh-user-token/token": "secret"}})
	require.NoError(t, err)
	made := factsOf(objects)
	assert.Equal(t, map[string]string{
		"apiVersion": "v1", "namespace": "space", "type": "Opaque", "data.token": "secret", "label.app": "codefresh-gitops-runtime",
		"label.app.kubernetes.io/part-of": "codefresh-gitops-runtime", "label.codefresh.io/runtime-name": "run",
		"annotation.argocd.argoproj.io/compare-options": "IgnoreExtraneous", "annotation.argocd.argoproj.io/sync-options": "Prune=false",
	}, made["Secret/codefresh-user-token"])
	assert.Equal(t, "rel", made["Deployment/argo-gateway"]["spec.selector.matchLabels.app.kubernetes.io/instance"])
	_, err = Objects(Options{Mode: "none"})
	require.EqualError(t, err, "the published chart 0.30.0 has no mode none")
}

// An upgrade from a release of argo-helm's charts, or of the published 0.24.0, to those of this repository changes no immutable field of an object in
// both. The test counts these objects, so that a changed name is noticed.
func TestUpgradesChangeNothingImmutable(t *testing.T) {
	t.Parallel()
	for chart, common := range map[string]int{"argo-cd": 32, "argo-rollouts": 4, "argo-workflows": 8, "argo-events": 2, "gitops-runtime-0.24.0": 75} {
		objects, err := Chart(chart, Options{Release: "rel", Namespace: "space", Image: "standin:dev"})
		require.NoError(t, err)
		release := render.Release{Chart: strings.TrimSuffix(chart, "-0.24.0"), Name: "rel", Namespace: "space"}
		if release.Chart == "gitops-runtime" {
			release.Files = []string{"tunnel"}
		}
		var rendered []map[string]any
		for _, object := range release.Objects(t) {
			rendered = append(rendered, object.Object)
		}
		before, after := factsOf(objects), facts.Of(rendered)
		both := 0
		for object := range before {
			if after[object] != nil && !strings.HasPrefix(object, "RIGHTS ") {
				both++
			}
		}
		assert.Equal(t, common, both, "objects that both %s have", chart)
		assert.Empty(t, facts.Refused(before, after), chart)
	}
}

func TestMalformedFacts(t *testing.T) {
	t.Parallel()
	for path, reason := range map[string]string{
		"c[c].port.many": `Deployment/x: c[c].port.many: "many" is not NUMBER/TCP`,
		"port.many":      `Deployment/x: port.many: "http -> http TCP" is not a port`,
	} {
		_, err := names.objects(facts.Facts{"Deployment/x": {path: "http -> http TCP"}})
		assert.EqualError(t, err, reason)
	}
	_, err := Chart("none", names)
	assert.ErrorContains(t, err, "facts of the chart none")
}
