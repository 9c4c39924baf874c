package postrender_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/locate"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/postrender"
)

var pairs = []mapping.Pair{
	{Source: "docker.io/library/nginx:latest", Target: "r.io/docker.io/library/nginx:latest"},
	{Source: "quay.io/a:1", Target: "r.io/quay.io/a:1"},
	{Source: "quay.io/a:1.2", Target: "r.io/quay.io/a:1.2"},
}

func TestStream(t *testing.T) {
	const in = `---
# Source: x
kind: Pod
metadata: {name: nginx} # a name, not an image
spec:
  containers:
    - image: nginx
      args: ["--sidecar-image=quay.io/a:1"]
---
kind: ConfigMap
data:
  untouched: "yes"
  run.sh: |
    # uses quay.io/a:1.2
    docker run docker://quay.io/a:1.
---
kind: Secret
data:
  c: aW1hZ2U6IHF1YXkuaW8vYTox
  key: AAECAw==
---
kind: ConfigMap
data:   {odd:   'format stays'}
---
kind: CustomResourceDefinition
spec: {description: "quay.io/a:1"}
`
	const want = `---
# Source: x
kind: Pod
metadata: {name: nginx} # a name, not an image
spec:
  containers:
    - image: r.io/docker.io/library/nginx
      args: ["--sidecar-image=r.io/quay.io/a:1"]
---
kind: ConfigMap
data:
  untouched: "yes"
  run.sh: |
    # uses r.io/quay.io/a:1.2
    docker run docker://r.io/quay.io/a:1.
---
kind: Secret
data:
  c: aW1hZ2U6IHIuaW8vcXVheS5pby9hOjE=
  key: AAECAw==
---
kind: ConfigMap
data:   {odd:   'format stays'}
---
kind: CustomResourceDefinition
spec: {description: "quay.io/a:1"}
`
	var out strings.Builder
	count, err := postrender.Stream(strings.NewReader(in), &out, postrender.FromPairs(pairs))
	require.NoError(t, err)
	require.Equal(t, want, out.String())
	require.Equal(t, 5, count)

	var again strings.Builder
	count, err = postrender.Stream(strings.NewReader(want), &again, postrender.FromPairs(pairs))
	require.NoError(t, err)
	require.Equal(t, want, again.String(), "a second pass changes the output")
	require.Zero(t, count)

	_, err = postrender.Stream(strings.NewReader("a: [b"), &again, postrender.FromPairs(pairs))
	require.ErrorContains(t, err, "document 1 of the input")
}

func TestComponent(t *testing.T) {
	document := chartrender.Document{Template: "t", Text: `apiVersion: apps/v1
kind: Deployment
metadata: {name: d, namespace: apps}
spec:
  list: [[{image: "quay.io/a:1"}]]
  "odd/key~.x": {image: nginx}
  text: |
    image: quay.io/a:1
    other:
      image: quay.io/a:1.2
`}
	got := componentOf(t, document, "r.io/")
	require.Equal(t, `apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
  - target:
      group: apps
      version: v1
      kind: Deployment
      name: d
      namespace: apps
    patch: |
      - op: replace
        path: /spec/list/0/0/image
        value: r.io/quay.io/a:1
      - op: replace
        path: /spec/odd~1key~0.x/image
        value: r.io/nginx
      - op: replace
        path: /spec/text
        value: |
          image: r.io/quay.io/a:1
          other:
            image: r.io/quay.io/a:1.2
`, string(got))
	none, err := postrender.Component(nil)
	require.NoError(t, err)
	require.Nil(t, none)
}

// componentOf returns the kustomize component that moves every image of a document to prefix.
func componentOf(t *testing.T, document chartrender.Document, prefix string) []byte {
	t.Helper()
	found, err := locate.NewIndex().Find([]chartrender.Document{document}, nil)
	require.NoError(t, err)
	var changes []postrender.Change
	for _, location := range found.Locations {
		changes = append(changes, postrender.Change{Location: location, Document: document, Target: prefix + location.Text()})
	}
	component, err := postrender.Component(changes)
	require.NoError(t, err)
	return component
}
