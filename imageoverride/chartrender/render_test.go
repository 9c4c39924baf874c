package chartrender_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/internal/helmchart"
)

// small creates a chart with one template in addition to a partial.
func small(template string) *chart.Chart {
	return &chart.Chart{
		Metadata: &chart.Metadata{APIVersion: "v2", Name: "small", Version: "1.0.0", AppVersion: "9"},
		Values:   map[string]any{"a": "b", "text": "{{ .Values.a }}-{{ include \"partial\" . }}"},
		Files:    []*chart.File{{Name: "files/one.txt", Data: []byte("1\n2\n")}, {Name: "files/two.txt", Data: []byte("x")}},
		Templates: []*chart.File{
			{Name: "templates/_p.tpl", Data: []byte(`{{ define "partial" }}{{ .Chart.Name }}{{ end }}`)},
			{Name: "templates/t.yaml", Data: []byte(template)},
			{Name: "templates/NOTES.txt", Data: []byte("notes")},
		},
	}
}

func renderer(t *testing.T, c *chart.Chart) *chartrender.Renderer {
	t.Helper()
	made, err := chartrender.NewRenderer(c, chartrender.Settings{KubeVersion: "1.30", APIVersions: []string{"example.com/v1"}})
	require.NoError(t, err)
	return made
}

// TestSameAsHelm renders templates with deterministic results with both engines.
func TestSameAsHelm(t *testing.T) {
	templates := map[string]string{
		"values":       `a: {{ .Values.a | quote }}`,
		"absent":       `a: "{{ .Values.none }}"`,
		"tpl":          `a: {{ tpl .Values.text . }}`,
		"tpl defines":  `a: {{ tpl "{{ define \"x\" }}y{{ end }}{{ include \"x\" . }}" . }}`,
		"release":      `a: {{ .Release.Name }}/{{ .Release.Namespace }}/{{ .Release.Revision }}/{{ .Release.Service }}/{{ .Release.IsInstall }}`,
		"chart":        `a: {{ .Chart.Name }} {{ .Chart.AppVersion }} {{ .Chart.IsRoot }} {{ .Template.Name }} {{ .Template.BasePath }}`,
		"capabilities": `a: {{ .Capabilities.KubeVersion.Version }} {{ .Capabilities.APIVersions.Has "example.com/v1" }}`,
		"files":        `a: {{ .Files.Get "files/two.txt" }} {{ range .Files.Lines "files/one.txt" }}[{{ . }}]{{ end }} {{ (.Files.Glob "files/*").AsConfig | toJson }} {{ (.Files.Glob "**.txt").AsSecrets | quote }}`,
		"conversions":  `a: {{ dict "x" (list 1 "two" 3.5) | toYaml | fromYaml | toJson }} {{ "[1, a]" | fromYamlArray | toJson }} {{ "{\"a\": 1}" | fromJson | toYaml | quote }} {{ dict "k" "v" | toToml | quote }} {{ "{" | fromJson | toJson | quote }}`,
		"pretty":       "a: {{ dict \"l\" (list 1 2) | toYamlPretty | quote }}",
		"lookup":       `a: {{ lookup "v1" "Secret" "" "" | toJson }} {{ getHostByName "localhost" }}`,
		"documents":    "a: 1\n---\n# only a remark\n---\nb: 2\n--- # end\nc: 3\n",
	}
	for name, template := range templates {
		t.Run(name, func(t *testing.T) {
			r := renderer(t, small(template))
			ours, err := r.Render(context.Background(), nil)
			require.NoError(t, err)
			helms, err := r.RenderWithHelm(context.Background(), nil)
			require.NoError(t, err)
			require.Equal(t, helms.Documents, ours.Documents)
			require.Equal(t, helms.Values, ours.Values)
			require.NotEmpty(t, ours.Documents)
		})
	}
}

func TestRenderIsRepeatable(t *testing.T) {
	r := renderer(t, small(`
a: {{ randAlphaNum 8 }} {{ randAlpha 3 }} {{ randNumeric 3 }} {{ randAscii 4 }} {{ uuidv4 }} {{ now | date "2006" }} {{ randInt 3 9 }}
b: {{ (genCA "ca" 365).Cert | quote }} {{ (genSignedCert "x" nil nil 1 (genCA "ca" 1)).Key | quote }} {{ genPrivateKey "rsa" | quote }}
c: {{ bcrypt "x" }} {{ htpasswd "u" "p" | quote }} {{ keys (dict "z" 1 "a" 2) | join "," }} {{ values (dict "z" 1 "a" 2) | join "," }}
`))
	first, err := r.Render(context.Background(), nil)
	require.NoError(t, err)
	for range 3 {
		again, err := r.Render(context.Background(), nil)
		require.NoError(t, err)
		require.Equal(t, first, again)
	}
	other, err := renderer(t, small(string("a: {{ randAlphaNum 8 }} {{ randAlphaNum 8 }}"))).Render(context.Background(), nil)
	require.NoError(t, err)
	require.Equal(t, "a: bcdefghi cdefghij", other.Documents[0].Text, "two random texts have to differ")
}

func TestRenderErrors(t *testing.T) {
	cases := map[string]string{
		`{{ fail "no such thing" }}`:                                               "no such thing",
		`{{ required "set a name" .Values.name }}`:                                 "set a name",
		`{{ include "nothing" . }}`:                                                `no template "nothing"`,
		`{{ define "loop" }}{{ include "loop" . }}{{ end }}{{ include "loop" . }}`: `template "loop" includes itself without end`,
		`{{ tpl "{{ .a " . }}`:                                                     "tpl cannot parse",
		`{{ if }}`:                                                                 "missing value for if",
	}
	for template, want := range cases {
		_, err := renderer(t, small(template)).Render(context.Background(), nil)
		require.ErrorContains(t, err, want)
	}
	refused := `{{ define "deep" }}{{ fail "no such thing" }}{{ end }}{{ define "name" }}{{ include "deep" . }}{{ end }}{{ include "name" . }}`
	_, err := renderer(t, small(refused)).Render(context.Background(), nil)
	require.EqualError(t, err, "small/templates/t.yaml: no such thing")
	wrong := `{{ define "deep" }}{{ trunc 3 .Values.list }}{{ end }}{{ define "name" }}{{ include "deep" . }}{{ end }}{{ include "name" . }}`
	_, err = renderer(t, small(wrong)).Render(context.Background(), map[string]any{"list": []any{"a"}})
	require.EqualError(t, err, `template: small/templates/t.yaml:1:37: executing "deep" at <.Values.list>: wrong type for value; expected string; got []interface {}`)
	_, err = chartrender.NewRenderer(small(""), chartrender.Settings{KubeVersion: "latest"})
	require.ErrorContains(t, err, `--kube-version "latest" is not a version; write one such as 1.33`)
}

func TestChartIsNotChanged(t *testing.T) {
	loaded, err := helmchart.Load(context.Background(), helmchart.Source{Name: "../testdata/trap"})
	require.NoError(t, err)
	r := renderer(t, loaded)
	first, err := r.Render(context.Background(), map[string]any{"switched-off": map[string]any{"enabled": true}})
	require.NoError(t, err)
	_, err = r.Render(context.Background(), nil)
	require.NoError(t, err)
	again, err := r.Render(context.Background(), map[string]any{"switched-off": map[string]any{"enabled": true}})
	require.NoError(t, err)
	require.Equal(t, first, again)
}

func TestUnseen(t *testing.T) {
	c := small("a: 1\n{{ if .Values.on }}\nimage: {{ .Values.image }}\n{{ else }}\nimage: {{ .Values.image2 }}\n{{ end }}\n{{ range .Values.none }}{{ .imagePullPolicy }}\n{{ .image }}{{ end }}\n")
	r := renderer(t, c)
	_, err := r.Render(context.Background(), nil)
	require.NoError(t, err)
	require.Equal(t, []string{"small/templates/t.yaml:3", "small/templates/t.yaml:8"}, r.Unseen())
	_, err = r.Render(context.Background(), map[string]any{"on": true})
	require.NoError(t, err)
	require.Equal(t, []string{"small/templates/t.yaml:8"}, r.Unseen())
}

// TestSwitchesAreSeenAnew: a renderer that has rendered other values enables the same charts as a new one.
func TestSwitchesAreSeenAnew(t *testing.T) {
	sets := []map[string]any{
		nil,
		{"switched-off": map[string]any{"enabled": true}},
		{"switched-off": map[string]any{"enabled": true, "image": "reg.corp/other"}},
		{"switched-off": map[string]any{"enabled": "true"}},
		{"switched-off": map[string]any{"enabled": false}},
		{"switched-off": nil},
		{"plain": "reg.corp/nginx"},
	}
	load := func() *chart.Chart {
		loaded, err := helmchart.Load(context.Background(), helmchart.Source{Name: "../testdata/trap"})
		require.NoError(t, err)
		return loaded
	}
	used := renderer(t, load())
	counts := map[int]bool{}
	for range 2 {
		for _, set := range sets {
			want, err := renderer(t, load()).RenderWithHelm(context.Background(), set)
			require.NoError(t, err)
			got, err := used.RenderWithHelm(context.Background(), set)
			require.NoError(t, err)
			require.Equal(t, len(want.Documents), len(got.Documents), "%v", set)
			counts[len(got.Documents)] = true
		}
	}
	require.Len(t, counts, 2, "the subchart is once enabled and once disabled")
}
