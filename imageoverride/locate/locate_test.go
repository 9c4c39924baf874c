package locate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/locate"
)

// found is the short form of a location.
type found struct{ path, text, rule string }

func find(t *testing.T, text string, hosts ...string) ([]found, []string) {
	t.Helper()
	seen, err := locate.NewIndex().Find([]chartrender.Document{{Template: "t.yaml", Text: text}}, hosts)
	require.NoError(t, err)
	var all []found
	for _, location := range seen.Locations {
		all = append(all, found{location.Field.Path, location.Text(), location.Rule})
	}
	var problems []string
	for _, problem := range seen.Problems {
		problems = append(problems, problem.Field.Path+": "+problem.Reason)
	}
	return all, problems
}

func TestFind(t *testing.T) {
	cases := []struct {
		name     string
		text     string
		want     []found
		problems []string
	}{
		{"containers", "kind: Pod\nspec:\n  initContainers: [{image: busybox}]\n  containers: [{image: 'quay.io/a:1', imagePullPolicy: Always}]\n", []found{
			{"spec.containers[0].image", "quay.io/a:1", "image field"},
			{"spec.initContainers[0].image", "busybox", "image field"},
		}, nil},
		{"image volume", "kind: Pod\nspec: {volumes: [{image: {reference: 'quay.io/data:1'}}]}\n", []found{{"spec.volumes[0].image.reference", "quay.io/data:1", "image volume"}}, nil},
		{"flags", "kind: Pod\nspec: {containers: [{args: [--executor-image, 'quay.io/e:1', '--sidecar-image=quay.io/s:1', --image-pull-policy, 'x:y', '--image-tag=v1:2']}]}\n", []found{
			{"spec.containers[0].args[1]", "quay.io/e:1", "argument of a flag"},
			{"spec.containers[0].args[2]", "quay.io/s:1", "flag"},
		}, nil},
		{"environment", "kind: Pod\nspec: {containers: [{env: [{name: RELATED_IMAGE_X, value: 'nats:2'}, {name: IMAGE_TAG, value: 'a:2'}, {name: PLAIN, value: 'b:2'}]}]}\n", []found{{"spec.containers[0].env[0].value", "nats:2", "environment variable"}}, nil},
		{"YAML in a ConfigMap", "kind: ConfigMap\ndata:\n  c.yaml: |\n    versions:\n      - natsImage: nats:2\n        startCommand: /nats\n", []found{{`data.c\.yaml > versions[0].natsImage`, "nats:2", "field named for an image"}}, nil},
		{"JSON in a ConfigMap", "kind: ConfigMap\ndata: {c: '{\"image\": \"quay.io/j:1\"}'}\n", []found{{"data.c > image", "quay.io/j:1", "image field"}}, nil},
		{"script", "kind: ConfigMap\ndata:\n  run.sh: |\n    docker run quay.io/s:1, then curl https://quay.io/v2:1 and docker://ghcr.io/d:2.\n", []found{
			{`data.run\.sh`, "quay.io/s:1", "free text"}, {`data.run\.sh`, "ghcr.io/d:2", "free text"},
		}, nil},
		{"known elsewhere", "kind: Pod\nspec: {containers: [{image: 'nats:2', command: ['run nats:2 now', 'run other:2']}]}\n", []found{
			{"spec.containers[0].command[0]", "nats:2", "free text"}, {"spec.containers[0].image", "nats:2", "image field"},
		}, nil},
		{"given host", "kind: ConfigMap\ndata: {x: 'own.registry/a/b:1', y: 'foreign.registry/a/b:1'}\n", []found{{"data.x", "own.registry/a/b:1", "name at a known registry"}}, nil},
		{"base64 of a Secret", "kind: Secret\ndata: {c: aW1hZ2U6IHF1YXkuaW8vYTox, run: ZG9ja2VyIHJ1biBxdWF5LmlvL3I6MQ==, key: AAECAw==, no: '%'}\n", []found{
			{"data.c > (base64) > image", "quay.io/a:1", "image field"}, {"data.run > (base64)", "quay.io/r:1", "free text"},
		}, nil},
		{"base64 elsewhere", "kind: ConfigMap\ndata: {c: aW1hZ2U6IHF1YXkuaW8vYTox}\n", nil, nil},
		{"list of images", "kind: Prefetch\nspec: {images: ['quay.io/a:1', 'b:2'], others: ['c:3']}\n", []found{{"spec.images[0]", "quay.io/a:1", "list of images"}, {"spec.images[1]", "b:2", "list of images"}}, nil},
		{"template of another program", "kind: Workflow\nspec: {templates: [{container: {image: '{{inputs.parameters.image}}'}}]}\n", nil, []string{"spec.templates[0].container.image: the text is not an image reference"}},
		{"definition", "kind: CustomResourceDefinition\nspec: {image: 'quay.io/a:1', description: 'such as quay.io/a:1'}\n", nil, nil},
		{"names below a repository", "kind: Policy\nspec: {a: {repository: nvcr.io/t, image: a, version: '1'}, b: {repository: nvcr.io/t, image: b, version: '2'}, c: {image: c}, d: {image: t/d}}\n", []found{
			{"spec.a", "nvcr.io/t/a:1", "map of registry, repository and tag"}, {"spec.b", "nvcr.io/t/b:2", "map of registry, repository and tag"}, {"spec.d.image", "t/d", "image field"},
		}, nil},
		{"default of a definition without a tag", "kind: CustomResourceDefinition\nspec:\n  image:\n    default: nvcr.io/t/driver\n  key:\n    default: kubernetes.io/hostname/x\n", []found{
			{"spec.image.default", "nvcr.io/t/driver", "default of a definition"},
		}, nil},
		{"list of names", "kind: Pod\nspec: {containers: [{env: [{name: DB, value: 'ghcr.io/t/a,quay.io/t/b'}, {name: OTHER, value: 'ghcr.io/t/a,quay.io'}]}]}\n", []found{
			{"spec.containers[0].env[0].value", "ghcr.io/t/a", "list of names at known registries"}, {"spec.containers[0].env[0].value", "quay.io/t/b", "list of names at known registries"},
		}, nil},
		{"a tag with its digest", "kind: Pod\nspec: {containers: [{env: [{name: V, value: '1.2@sha256:" + strings.Repeat("0", 64) + "'}]}]}\n", nil, nil},
		{"no images", "kind: ConfigMap\ndata: {logo: 'image: logo.png', time: '12:30', url: 'http://host:80/a:b'}\n", nil, nil},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			got, problems := find(t, test.text, "own.registry")
			require.Equal(t, test.want, got)
			require.Equal(t, test.problems, problems)
		})
	}
}

func TestInvalidYAML(t *testing.T) {
	_, err := locate.NewIndex().Find([]chartrender.Document{{Template: "t.yaml", Text: "a: [b"}}, nil)
	require.ErrorContains(t, err, "template t.yaml renders invalid YAML")
}

func TestObjectNames(t *testing.T) {
	fields, err := locate.Fields(chartrender.Document{Template: "t.yaml", Index: 2, Text: "kind: Pod\nmetadata: {name: p, namespace: n}\n"}, func(s string) string { return s })
	require.NoError(t, err)
	require.Equal(t, "Pod/n/p", fields[0].Object.String())
	require.Equal(t, "t.yaml#2 kind", fields[0].ID())
}
