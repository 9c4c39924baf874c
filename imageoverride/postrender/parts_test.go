package postrender_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/locate"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/postrender"
)

// TestPartsOfImages: an image in several fields of a map is replaced field by field, by the post-renderer and by the kustomize component.
func TestPartsOfImages(t *testing.T) {
	document := chartrender.Document{Template: "t", Text: "apiVersion: example.com/v1\nkind: App\nmetadata: {name: a}\n" +
		"spec:\n  image:\n    registry: quay.io\n    repository: team/app\n    tag: \"1\"\n  helperImage: {repository: ghcr.io/team/helper, tag: v2}\n"}
	pairs := []mapping.Pair{
		{Source: "quay.io/team/app:1", Target: "r.io/x/quay.io/team/app:1"}, {Source: "ghcr.io/team/helper:v2", Target: "r.io/x/ghcr.io/team/helper:v2"},
	}
	text, count, err := postrender.Apply(locate.NewIndex(), document, nil, postrender.FromPairs(pairs))
	require.NoError(t, err)
	require.Equal(t, 2, count)
	require.Contains(t, text, "    registry: r.io\n    repository: x/quay.io/team/app\n    tag: \"1\"\n  helperImage: {repository: r.io/x/ghcr.io/team/helper, tag: v2}\n")

	component := componentOf(t, document, "r.io/x/")
	require.Contains(t, string(component), "path: /spec/image/registry\n")
	require.Contains(t, string(component), "value: x/quay.io/team/app\n")
}
