package overridecmd_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/imageoverride/overridecmd"
	"gitops-runtime/internal/testkit"
)

// oneTemplate writes a chart with one template and, optionally, more files.
func oneTemplate(t *testing.T, values, template string, more map[string]string) string {
	t.Helper()
	files := map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: claims\nversion: 1.0.0\n", "values.yaml": values, "templates/object.yaml": template,
	}
	maps.Copy(files, more)
	return testkit.Folder(t, files)
}

const (
	podValues = "image: {registry: quay.io, repository: team/app, tag: v1}\n"
	pod       = "apiVersion: v1\nkind: Pod\nmetadata: {name: app}\nspec:\n  containers:\n  - name: app\n" +
		"    image: {{ .Values.image.registry }}/{{ .Values.image.repository }}:{{ .Values.image.tag }}\n"
	proved = "proved by rendering for Kubernetes v1.33: every image reference points at the registry, and nothing else changes\n"
)

// Every statement in the table of the README is printed if it applies. Doubtful places exit with 3 until they are accepted.
func TestClaims(t *testing.T) {
	for _, test := range []struct {
		name, values, template string
		more                   map[string]string
		args                   []string
		lines                  []string
		code                   int
		accept                 string
	}{
		{name: "proved", values: podValues, template: pod, lines: []string{"rendered for Kubernetes v1.33\n", proved}},
		{
			name: "unread", values: podValues, template: pod + "---\napiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {name: w}\nspec: {templates: [{container: {image: '{{ \"{{inputs.parameters.image}}\" }}'}}]}\n",
			lines: []string{"unread: \"{{inputs.parameters.image}}\" at Workflow/w spec.templates[0].container.image: ", "nothing is proved: 1 image fields cannot be read"},
			code:  overridecmd.ExitLeftOut, accept: "{{inputs.parameters.image}}",
		},
		{
			name: "suspected", values: podValues, template: pod + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {text: 'see quay.io/team/tool for more'}\n",
			lines: []string{"suspected: \"quay.io/team/tool\" at ConfigMap/c data.text: ", "nothing is proved: 1 texts may be images"},
			code:  overridecmd.ExitLeftOut, accept: "quay.io/team/tool",
		},
		{
			name: "unreached", values: podValues, template: pod + "  - {name: fixed, image: 'quay.io/team/fixed:v1'}\n",
			lines: []string{"unreached: quay.io/team/fixed:v1 at Pod/app spec.containers[1].image ", "1 image references still point outside"},
			code:  overridecmd.ExitLeftOut, accept: "quay.io/team/fixed:v1",
		},
		{
			name: "also changed", values: podValues, template: pod + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {from: '{{ .Values.image.registry }}'}\n",
			lines: []string{"also changed: ConfigMap/c data.from from \"quay.io\" to ", "nothing is proved: 1 other fields change"},
			code:  overridecmd.ExitLeftOut, accept: "ConfigMap/c data.from",
		},
		{
			name: "immutable", values: podValues,
			template: pod + "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {selector: {matchLabels: {from: '{{ .Values.image.registry | replace \":\" \"-\" }}'}}}\n",
			lines:    []string{"also changed: Deployment/d spec.selector.matchLabels.from ", "; Kubernetes refuses this change on an upgrade\n"},
			code:     overridecmd.ExitLeftOut, accept: "Deployment/d spec.selector.matchLabels.from",
		},
		{
			name: "name only", values: podValues + "base: quay.io/team/sidecar\n", template: pod + "    args: ['--sidecar={{ .Values.base }}']\n",
			lines: []string{"name only: quay.io/team/sidecar has no tag where the chart writes it; ", "nothing is proved: 1 repositories have no tag in the mirror table"},
			code:  overridecmd.ExitLeftOut, accept: "quay.io/team/sidecar",
		},
		{
			name: "stays off", values: podValues + "never: {enabled: false}\n", template: pod + "{{ if .Values.never.enabled }}{{ fail \"never\" }}{{ end }}\n",
			args: []string{"--everything"}, lines: []string{"stays off: never.enabled does not turn on: ", proved},
		},
		{
			name: "not rendered", values: podValues + "more: false\n", template: pod + "{{ if .Values.more }}\n  - {name: b, image: quay.io/team/b:v1}\n{{ end }}\n",
			args: []string{"--show"}, lines: []string{"not rendered: 1 template lines that mention images; --everything or further scenarios may reach them:\n  claims/templates/object.yaml", proved},
		},
		{
			name: "warning", values: podValues, template: "metadata: {name: first}\n" + pod,
			lines: []string{"warning: template claims/templates/object.yaml renders key metadata of one map twice (manifest 1, line 4); the last one counts\n", proved},
		},
		{
			name: "not fetched", values: podValues, template: pod, more: map[string]string{"values.schema.json": `{"properties": {"image": {"$ref": "https://schemas.example.com/image.json"}}}`},
			lines: []string{"not fetched: a schema of the chart refers to https://schemas.example.com/image.json; "},
		},
		{
			name: "API versions", values: podValues, template: "{{ if .Capabilities.APIVersions.Has \"example.com/v1\" }}\n" + pod + "{{ end }}\n",
			args: []string{"--api-versions", "example.com/v1"}, lines: []string{"1 image references, 1 images to mirror; ", proved},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := append([]string{"generate", oneTemplate(t, test.values, test.template, test.more), "--registry", "reg.corp:5000", "--kube-version", "1.33", "-o", t.TempDir()}, test.args...)
			got := run(t, args...)
			assert.Equal(t, test.code, got.code, got.err)
			for _, line := range test.lines {
				assert.Contains(t, got.out+got.err, line)
			}
			if test.accept == "" {
				return
			}
			for _, accepted := range []string{test.accept, "*"} {
				got = run(t, append(args, "--accept", accepted)...)
				assert.Equal(t, overridecmd.ExitOK, got.code, got.out+got.err)
			}
		})
	}
}
