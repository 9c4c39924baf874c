package chartrender_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/internal/helmvalues"
)

// reading returns a chart with this template and a subchart.
func reading(template string) *chart.Chart {
	sub := &chart.Chart{
		Metadata: &chart.Metadata{APIVersion: "v2", Name: "sub", Version: "1.0.0"},
		Values:   map[string]any{"image": map[string]any{"tag": "1"}},
		Templates: []*chart.File{
			{Name: "templates/s.yaml", Data: []byte(`s: {{ .Values.image.tag }}{{ .Values.absent }}{{ .Values.global.x }}`)},
			{Name: "templates/_s.tpl", Data: []byte(`{{ define "sub" }}{{ .Values.image | toYaml }}{{ end }}`)},
		},
	}
	c := &chart.Chart{
		Metadata: &chart.Metadata{APIVersion: "v2", Name: "root", Version: "1.0.0", Dependencies: []*chart.Dependency{{Name: "sub", Version: "1.0.0", Condition: "sub.enabled"}}},
		Values: map[string]any{
			"image": map[string]any{"registry": "quay.io", "tag": "1", "deep": map[string]any{"x": "1"}}, "key": "tag", "list": []any{"a", map[string]any{"n": "1"}},
			"text": `{{ .Values.image.tag }}`, "other": "1", "global": map[string]any{"x": "1", "nested": map[string]any{"y": "1"}}, "sub": map[string]any{"enabled": true},
		},
		Templates: []*chart.File{
			{Name: "templates/_p.tpl", Data: []byte(`
{{- define "tag" }}{{ .image.tag }}{{ end }}
{{- define "root tag" }}{{ .Values.image.tag }}{{ end }}
{{- define "context" }}{{ dict "image" .Values.image "global" .Values.global | toJson }}{{ end }}
{{- define "changing" }}{{ $d := dict "image" .Values.image }}{{ toJson $d }}{{ $_ := set $d "more" .Values.other }}{{ end }}
{{- define "wrapped" }}{{ include "context" . }}{{ end }}
{{- define "captured" }}{{ $x := include "context" . }}{{ $x }}{{ end }}
{{- define "hashed" }}{{ $x := include "context" . }}{{ $x | sha256sum | trunc 0 }}{{ $x }}{{ end }}
{{- define "twice" }}{{ toJson .Values.image }}{{ if false }}{{ toJson .Values.image }}{{ end }}{{ end }}`)},
			{Name: "templates/other.yaml", Data: []byte(`other: {{ .Values.other }}{{ .Values.image.deep.x }}`)},
			{Name: "templates/t.yaml", Data: []byte(template)},
		},
	}
	c.AddDependency(sub)
	return c
}

// readings are templates that read values in all the ways that occur in charts.
var readings = map[string]string{
	"a field":                       `a: {{ .Values.image.tag }}`,
	"a map as a whole":              `a: {{ toYaml .Values.image | nindent 2 }}`,
	"a map printed":                 `a: "{{ .Values.image }}"`,
	"a condition":                   `a: {{ if .Values.image.tag }}1{{ else if .Values.other }}2{{ end }}`,
	"a condition on a map":          `a: {{ if .Values.image.deep }}1{{ end }}`,
	"an optional map":               `a: {{ if hasKey .Values "more" }}1{{ end }}{{ if hasKey .Values.image .Values.key }}2{{ end }}`,
	"with":                          `a: {{ with .Values.image }}{{ .tag }}{{ with .deep }}{{ .x }}{{ end }}{{ end }}`,
	"range over a map":              `a: {{ range $k, $v := .Values.image }}{{ $k }}{{ $v }}{{ end }}`,
	"range over a list":             `a: {{ range .Values.list }}{{ kindOf . }}{{ . }}{{ end }}`,
	"an item of a list":             `a: {{ index .Values.list 0 }}{{ (index .Values.list 1).n }}`,
	"range over a constructed list": `a: {{ range list .Values.image .Values.global }}{{ .tag }}{{ .x }}{{ end }}`,
	"a variable":                    `a: {{ $i := .Values.image }}{{ $i.tag }}{{ $d := $i.deep }}{{ $d.x }}`,
	"a constant key":                `a: {{ index .Values "image" "tag" }}{{ get .Values.image "registry" }}{{ (index .Values "image").deep.x }}`,
	"a computed key":                `a: {{ index .Values.image .Values.key }}{{ get .Values.image (printf "%s" .Values.key) }}{{ $k := "deep" }}{{ (index .Values.image $k).x }}`,
	"dig":                           `a: {{ dig "image" "deep" "x" "no" .Values.AsMap }}{{ .Values.image | dig "tag" "no" }}`,
	"methods of values":             `a: {{ (.Values.AsMap).image.tag }}{{ $t := .Values.Table "image" }}{{ $t.tag }}`,
	"default and coalesce":          `a: {{ .Values.image.none | default .Values.image.tag }}{{ (coalesce .Values.none .Values.image).tag }}{{ (default dict .Values.image).registry }}`,
	"ternary":                       `a: {{ (ternary .Values.image .Values.global (eq .Values.other "1")).tag }}`,
	"a partial":                     `a: {{ include "tag" .Values }}{{ include "tag" (dict "image" .Values.image) }}{{ include "root tag" . }}`,
	"a template":                    `a: {{ template "root tag" . }}`,
	"another file":                  `a: {{ include (print $.Template.BasePath "/other.yaml") . | sha256sum }}`,
	"tpl":                           `a: {{ tpl .Values.text . }}{{ tpl "{{ .Values.image.registry }}" $ }}{{ tpl "{{ .tag }}" .Values.image }}`,
	"pick and omit":                 `a: {{ pick .Values.image "tag" | toYaml | quote }}{{ omit .Values.image "tag" | toYaml | quote }}{{ (pick .Values.image .Values.key).tag }}`,
	"merge":                         `a: {{ (merge dict .Values.image).tag }}{{ merge (dict "tag" "") .Values.image | toJson | quote }}{{ (mergeOverwrite (dict "deep" dict) (dict "deep" .Values.image.deep)).deep.x }}`,
	"deepCopy":                      `a: {{ (deepCopy .Values.image).tag }}`,
	"keys and values":               `a: {{ keys .Values.image | sortAlpha | join "," }}{{ values .Values.global | len }}{{ len .Values.image }}`,
	"first and last":                `a: {{ first .Values.list }}{{ (last .Values.list).n }}{{ (first (list .Values.image)).tag }}`,
	"concat and append":             `a: {{ concat .Values.list (list .Values.other) | len }}{{ range append .Values.list .Values.image }}{{ if kindIs "map" . }}{{ .tag }}{{ end }}{{ end }}`,
	"a copy as JSON":                `a: {{ $c := include "context" . | fromJson }}{{ $c.image.tag }}{{ $c.global.nested.y }}`,
	"a copy of a copy":              `a: {{ $c := include "wrapped" . | fromJson }}{{ $c.image.deep.x }}`,
	"a copy that is captured":       `a: {{ $c := include "captured" . | fromJson }}{{ $c.global.x }}`,
	"a copy that is hashed":         `a: {{ $c := include "hashed" . | fromJson }}{{ $c.global.x }}{{ include "hashed" . | sha256sum }}`,
	"a copy that is written":        `a: {{ include "context" . | fromJson | toYaml | quote }}{{ (include "context" . | fromJson).image.tag }}`,
	"a copy that is passed on":      `a: {{ $c := include "context" . | fromJson }}{{ toJson $c.image | quote }}{{ include "tag" $c }}{{ range $k, $v := $c.image }}{{ $v }}{{ end }}`,
	"a copy that is changed":        `a: {{ $c := include "context" . | fromJson }}{{ $_ := set $c.image "tag" .Values.other }}{{ $c.image.tag }}{{ $c.image.registry }}`,
	"a copy of a changed map":       `a: {{ $c := include "changing" . | fromJson }}{{ $c.image.tag }}{{ $c.more }}`,
	"two in one text":               `a: {{ $c := include "twice" . | fromJson }}{{ $c.tag }}`,
	"JSON":                          `a: {{ toJson .Values.image | quote }}{{ .Values.global | toJson | quote }}`,
	"the scope":                     `a: {{ .Values | toJson | sha256sum }}{{ (deepCopy .).Values.image.tag }}`,
	"a dict that is filled":         `a: {{ $d := dict }}{{ range $k, $v := .Values.image }}{{ $_ := set $d $k $v }}{{ end }}{{ toYaml $d | quote }}{{ $d.tag }}`,
	"a dict that changes":           `a: {{ $d := dict "i" .Values.image }}{{ range list "tag" "registry" }}{{ $d.i.tag }}{{ $_ := set $d "i" (dict "tag" (index $.Values.image .)) }}{{ end }}`,
	"the values of a subchart":      `a: {{ .Values.sub.image.tag }}{{ with .Subcharts.sub }}{{ .Values.image.tag }}{{ end }}`,
	"the subcharts":                 `a: {{ len .Subcharts }}{{ range $k, $v := .Subcharts }}{{ $k }}{{ end }}`,
	"the chart":                     `a: {{ range .Chart.Dependencies }}{{ .Enabled }}{{ end }}{{ $c := .Chart }}{{ toYaml $c | quote }}`,
	"a write to values":             `a: {{ $_ := set .Values.image "tag" .Values.other }}{{ .Values.image.tag }}`,
	"a merge into values":           `a: {{ $_ := mergeOverwrite (dict "i" .Values.image) (dict "i" (dict "tag" .Values.other)) }}{{ .Values.image.tag }}`,
	"a write to the scope":          `a: {{ $_ := set . "mine" .Values.other }}{{ .mine }}`,
	"a write by another file":       `a: {{ .Values.other }}{{ .theirs }}`,
	"a type check":                  `a: {{ kindOf .Values.image.tag }}{{ kindIs "map" .Values.image.deep }}{{ typeOf .Values.other }}{{ empty .Values.image.deep }}`,
	"random functions":              `a: {{ randAlphaNum 5 }}{{ .Values.other }}`,
}

// changes returns values that are merged over those of the chart, one after the other.
func changes() []map[string]any {
	image := func(key string, value any) map[string]any {
		return map[string]any{"image": map[string]any{key: value}}
	}
	return []map[string]any{
		{}, image("tag", "2"), image("tag", nil), image("tag", 2.0), image("registry", "ghcr.io"), image("deep", map[string]any{"x": "2"}), image("deep", nil), image("new", "2"),
		{"key": "registry"}, {"list": []any{"b"}}, {"list": []any{"a", map[string]any{"n": "2"}}}, {"text": "{{ .Values.image.registry }}"}, {"other": "2"}, {"other": ""},
		{"global": map[string]any{"x": "2"}}, {"global": map[string]any{"nested": map[string]any{"y": "2"}}}, {"more": "x"}, {"sub": map[string]any{"enabled": false}},
		{"sub": map[string]any{"image": map[string]any{"tag": "2"}}}, {"sub": map[string]any{"global": map[string]any{"x": "3"}}}, {"sub": map[string]any{"absent": "2"}}, {},
	}
}

// TestReuseChangesNothing: a renderer that has rendered other values renders like a new one, and Helm's engine returns the same.
func TestReuseChangesNothing(t *testing.T) {
	for name, template := range readings {
		t.Run(name, func(t *testing.T) {
			one := renderer(t, reading(template))
			for i, change := range changes() {
				fresh, wanted := renderer(t, reading(template)).Render(context.Background(), helmvalues.CopyTree(change))
				reused, err := one.Render(context.Background(), helmvalues.CopyTree(change))
				require.Equal(t, fmt.Sprint(wanted), fmt.Sprint(err), "change %d", i)
				require.Equal(t, fresh.Documents, reused.Documents, "change %d: %v", i, change)
				require.Equal(t, fresh.Values, reused.Values, "change %d", i)
				if err != nil || name == "random functions" {
					continue
				}
				helms, err := one.Witness(context.Background(), helmvalues.CopyTree(change), reused)
				require.NoError(t, err)
				require.Equal(t, fresh.Documents, helms.Documents, "change %d: Helm's engine", i)
			}
		})
	}
}

// TestForget: a renderer with an empty cache renders the same, and still knows which files need Helm's engine.
func TestForget(t *testing.T) {
	r := renderer(t, reading(readings["a partial"]))
	first, err := r.Render(context.Background(), map[string]any{})
	require.NoError(t, err)
	r.Forget()
	for range 2 {
		helms, err := r.Witness(context.Background(), map[string]any{}, first)
		require.NoError(t, err)
		require.Equal(t, first.Documents, helms.Documents)
	}
	again, err := r.Render(context.Background(), map[string]any{})
	require.NoError(t, err)
	require.Equal(t, first.Documents, again.Documents)
}

// TestReuseSavesWork: a file is executed again only if a value that it reads has changed.
func TestReuseSavesWork(t *testing.T) {
	c := reading(`a: {{ if .Values.other }}{{ fail "executed" }}{{ end }}`)
	r := renderer(t, c)
	_, err := r.Render(context.Background(), map[string]any{"other": ""})
	require.NoError(t, err)
	before := chartrender.Executed(r)
	_, err = r.Render(context.Background(), map[string]any{"other": "", "image": map[string]any{"tag": "7"}})
	require.NoError(t, err)
	require.Equal(t, before, chartrender.Executed(r), "a file is executed although it does not read the tag")
	_, err = r.Render(context.Background(), map[string]any{"other": "", "image": map[string]any{"deep": map[string]any{"x": "7"}}})
	require.NoError(t, err)
	require.Equal(t, before+1, chartrender.Executed(r))
	_, err = r.Render(context.Background(), map[string]any{"other": "x"})
	require.ErrorContains(t, err, "executed")
}
