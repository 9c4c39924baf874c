package postrender_test

import (
	"bytes"
	"strings"
	"testing"

	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/postrender"
)

// The post-renderer does not panic or hang for any manifests.
func FuzzStream(f *testing.F) {
	f.Add("kind: Pod\nspec: {containers: [{image: quay.io/a:1}]}\n---\n# no object\n")
	f.Add("kind: ConfigMap\ndata:\n  a: |\n    image: quay.io/a:1\n")
	f.Add("kind: Secret\ndata: {a: aW1hZ2U6IHF1YXkuaW8vYToxCg==}\n")
	f.Add("a: &a {image: quay.io/a:1}\nb: {<<: *a}\nc: [*a, *a]\n")
	f.Add("image: {registry: quay.io, repository: a, tag: \"1\"}\n")
	plan := postrender.FromPairs([]mapping.Pair{{Source: "quay.io/a:1", Target: "reg.corp/quay.io/a:1"}})
	f.Fuzz(func(_ *testing.T, manifests string) {
		var out bytes.Buffer
		_, _ = postrender.Stream(strings.NewReader(manifests), &out, plan)
	})
}
