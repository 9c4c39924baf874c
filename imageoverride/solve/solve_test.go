package solve_test

import (
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/locate"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/solve"
	"gitops-runtime/internal/helmvalues"
)

// engine renders one template with values and counts the renders.
type engine struct {
	t        *testing.T
	template *template.Template
	defaults map[string]any
	renders  int
}

func (e *engine) render(user map[string]any) (chartrender.Output, error) {
	e.renders++
	all := helmvalues.Merge(e.defaults, user)
	var text strings.Builder
	if err := e.template.Execute(&text, all); err != nil {
		return chartrender.Output{}, err
	}
	return chartrender.Output{Values: all, Documents: []chartrender.Document{{Template: "t.yaml", Text: text.String()}}}, nil
}

func parseTree(t *testing.T, text string) map[string]any {
	t.Helper()
	var tree map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(text), &tree))
	return tree
}

func newEngine(t *testing.T, defaults, images string) *engine {
	t.Helper()
	text := "kind: Pod\nspec:\n  containers:\n"
	for _, image := range strings.Split(images, "\n") {
		text += "    - image: \"" + image + "\"\n"
	}
	funcs := template.FuncMap{"trimV": func(s string) string { return strings.TrimPrefix(s, "v") }, "must": func(want, is string) (string, error) {
		if want != is {
			return "", errWrong
		}
		return "", nil
	}}
	parsed, err := template.New("t").Funcs(funcs).Parse(text)
	require.NoError(t, err)
	return &engine{t: t, template: parsed, defaults: parseTree(t, defaults)}
}

type constError string

func (e constError) Error() string { return string(e) }

const errWrong = constError("wrong value")

func (e *engine) solve(mapper mapping.Mapper, users ...string) solve.Solution {
	e.t.Helper()
	var scenarios []solve.Scenario
	for _, user := range users {
		tree := parseTree(e.t, user)
		base, err := e.render(tree)
		require.NoError(e.t, err)
		found, err := locate.NewIndex().Find(base.Documents, nil)
		require.NoError(e.t, err)
		scenarios = append(scenarios, solve.Scenario{Name: user, User: tree, Base: base, Locations: found.Locations})
	}
	return solve.Solver{Mapper: mapper, Render: e.render}.Solve(scenarios)
}

func texts(overrides []solve.Override) map[string]string {
	all := map[string]string{}
	for _, override := range overrides {
		all[override.Path.String()] = override.Text
	}
	return all
}

func TestSolve(t *testing.T) {
	cases := []struct {
		name     string
		strategy mapping.Strategy
		defaults string
		images   string
		names    map[string]string
		pins     map[string]string
		reasons  []string
	}{
		{"one text", "", `{image: 'nats:2'}`, `{{.image}}`, map[string]string{"image": "r.io/docker.io/library/nats:2"}, map[string]string{}, nil},
		{"registry before repository", "", `{i: {registry: quay.io, repository: a/b, tag: v1}}`, `{{.i.registry}}/{{.i.repository}}:{{.i.tag}}`,
			map[string]string{"i.registry": "r.io/quay.io"}, map[string]string{"i.tag": "v1"}, nil},
		{"both for flat", mapping.Flat, `{i: {registry: quay.io, repository: a/b, tag: v1}}`, `{{.i.registry}}/{{.i.repository}}:{{.i.tag}}`,
			map[string]string{"i.registry": "r.io", "i.repository": "b-b47b588b"}, map[string]string{"i.tag": "v1"}, nil},
		{"a registry for all", "", `{registry: quay.io}`, "{{.registry}}/a:1\n{{.registry}}/b:1", map[string]string{"registry": "r.io/quay.io"}, map[string]string{}, nil},
		{"number as tag", "", `{image: {repository: quay.io/a, tag: 1.5}}`, `{{.image.repository}}:{{.image.tag}}`, map[string]string{"image.repository": "r.io/quay.io/a"}, map[string]string{"image.tag": "1.5"}, nil},
		{"weak names", mapping.Flat, `{host: quay.io, name: app}`, `{{.host}}/{{.name}}:v1`, map[string]string{"host": "r.io", "name": "app-f8ce045f"}, map[string]string{}, nil},
		{"tag cut by the template", "", `{image: {repository: quay.io/a, tag: v1}}`, `{{.image.repository}}:{{trimV .image.tag}}`, map[string]string{"image.repository": "r.io/quay.io/a"}, map[string]string{}, nil},
		{"guarded tag", "", `{image: {repository: quay.io/a, tag: v1}}`, `{{must "v1" .image.tag}}{{.image.repository}}:{{.image.tag}}`, map[string]string{"image.repository": "r.io/quay.io/a"}, map[string]string{}, nil},
		{"guarded name", "", `{image: {repository: quay.io/a, tag: v1}}`, `{{must "quay.io/a" .image.repository}}{{.image.repository}}:{{.image.tag}}`, map[string]string{}, map[string]string{}, []string{"the template behaves differently when image.repository changes"}},
		{"hard-coded", "", `{tag: v1}`, `quay.io/a:{{.tag}}`, map[string]string{}, map[string]string{}, []string{"tag sets only a part of it; the template hard-codes the rest"}},
		{"all hard-coded", "", `{}`, `quay.io/a:1`, map[string]string{}, map[string]string{}, []string{"the template writes it itself"}},
		{"contradiction", mapping.Flat, `{image: {first: quay.io, second: ghcr.io, repository: b}}`, "{{.image.first}}/{{.image.repository}}:1\n{{.image.second}}/{{.image.repository}}:1",
			map[string]string{}, map[string]string{}, []string{
				"another image that uses image.first and image.repository needs a different value", "another image that uses image.second and image.repository needs a different value",
			}},
		{"private stays", "", `{image: 'r.io/quay.io/a:1'}`, `{{.image}}`, map[string]string{}, map[string]string{}, nil},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			if test.strategy == "" {
				test.strategy = mapping.HostPrefix
			}
			mapper, err := mapping.New("r.io", test.strategy, nil)
			require.NoError(t, err)
			engine := newEngine(t, test.defaults, test.images)
			solution := engine.solve(mapper, `{}`)
			require.Equal(t, test.names, texts(solution.Names))
			require.Equal(t, test.pins, texts(solution.Pins))
			var reasons []string
			for _, unreached := range solution.Unreached {
				reasons = append(reasons, unreached.Reason)
			}
			require.Equal(t, test.reasons, reasons)
			require.Less(t, engine.renders, 20)
		})
	}
}

func TestScenarios(t *testing.T) {
	mapper, err := mapping.New("r.io", mapping.HostPrefix, nil)
	require.NoError(t, err)
	engine := newEngine(t, `{a: {image: 'quay.io/a:1'}, list: [{image: 'quay.io/b:1'}]}`, "{{.a.image}}\n{{range .list}}{{.image}}{{end}}")
	same := engine.solve(mapper, `{x: 1}`, `{x: 2}`)
	require.Equal(t, map[string]string{"a.image": "r.io/quay.io/a:1", "list[0].image": "r.io/quay.io/b:1"}, texts(same.Names))
	require.Empty(t, same.Unreached)

	differing := engine.solve(mapper, `{x: 1}`, `{list: [{image: 'quay.io/c:1'}]}`)
	require.Equal(t, map[string]string{"a.image": "r.io/quay.io/a:1"}, texts(differing.Names))
	require.Len(t, differing.Unreached, 2)
	require.Equal(t, "it is in a list that differs between the scenarios; put the target into the values of each", differing.Unreached[0].Reason)

	contradicting := engine.solve(mapper, `{}`, `{a: {image: 'quay.io/z:1'}}`)
	require.Len(t, contradicting.Unreached, 2, "one text for both would send one scenario the image of the other")
}

func TestSharedWithOtherText(t *testing.T) {
	mapper, err := mapping.New("r.io", mapping.HostPrefix, nil)
	require.NoError(t, err)
	engine := newEngine(t, `{registry: quay.io}`, `{{.registry}}/a:1"{{"\n"}}      note: "see {{.registry}}`)
	solution := engine.solve(mapper, `{}`)
	require.Equal(t, map[string][]string{"registry": {"Pod/ spec.containers[0].note"}}, solution.Uses)
}

func TestManyImagesStayNearLinear(t *testing.T) {
	mapper, err := mapping.New("r.io", mapping.HostPrefix, nil)
	require.NoError(t, err)
	var defaults, images []string
	for i := range 400 {
		name := "c" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + string(rune('a'+i/26))
		defaults = append(defaults, name+": {repository: a/"+name+", tag: v1}")
		images = append(images, "{{.registry}}/{{."+name+".repository}}:{{."+name+".tag}}")
	}
	engine := newEngine(t, "registry: quay.io\n"+strings.Join(defaults, "\n"), strings.Join(images, "\n"))
	solution := engine.solve(mapper, `{}`)
	require.Equal(t, map[string]string{"registry": "r.io/quay.io"}, texts(solution.Names))
	require.Equal(t, 2, engine.renders, "one render as it is and one with marks")
}
