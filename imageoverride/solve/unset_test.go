package solve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/locate"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/solve"
)

// unset is a chart with fifty values that are not set, of which images are the templates' own or use some.
func unset(t *testing.T, images string) (*engine, chartrender.Reads) {
	t.Helper()
	reads := chartrender.Reads{Names: map[string]bool{"registry": true, "image": true}}
	defaults := ""
	for i := range 50 {
		defaults += fmt.Sprintf("part%d: {image: {registry: \"\"}}\n", i)
		reads.Paths = append(reads.Paths, []string{fmt.Sprintf("part%d", i), "image", "registry"})
	}
	return newEngine(t, defaults, images), reads
}

// TestFewRenders: values without an effect on an image are not tried one by one, and an image that its template writes as it is takes no trial at all.
func TestFewRenders(t *testing.T) {
	mapper, err := mapping.New("r.io", mapping.HostPrefix, nil)
	require.NoError(t, err)
	for _, one := range []struct {
		name, image string
		enough      func() bool
		names       map[string]string
		reasons     []string
		renders     int
	}{
		{"written", "busybox", nil, map[string]string{}, []string{"the template writes it itself"}, 2},
		{"computed without values", "{{ print `quay.io/a` }}:1{{/* image */}}", nil, map[string]string{}, []string{"the template writes it itself"}, 6},
		{"one of fifty", "{{ if .part7.image.registry }}{{ .part7.image.registry }}{{ else }}quay.io{{ end }}/a:1", nil, map[string]string{"part7.image.registry": "r.io/quay.io"}, nil, 24},
		{"no time", "{{ if .part7.image.registry }}{{ .part7.image.registry }}{{ else }}quay.io{{ end }}/a:1", func() bool { return true }, map[string]string{},
			[]string{"the template writes it itself, or reads a value that was not tried in time; increase --render-time"}, 6},
	} {
		t.Run(one.name, func(t *testing.T) {
			engine, reads := unset(t, one.image)
			base, err := engine.render(nil)
			require.NoError(t, err)
			found, err := locate.NewIndex().Find(base.Documents, nil)
			require.NoError(t, err)
			source := "kind: Pod\nspec:\n  containers:\n    - image: " + one.image + "\n"
			solver := solve.Solver{Mapper: mapper, Render: engine.render, Reads: reads, Enough: one.enough, Source: func(string) string { return source }}
			solution := solver.Solve([]solve.Scenario{{Name: "default", Base: base, Locations: found.Locations}})
			require.Equal(t, one.names, texts(solution.Names))
			var reasons []string
			for _, left := range solution.Unreached {
				reasons = append(reasons, left.Reason)
			}
			require.Equal(t, one.reasons, reasons)
			require.LessOrEqual(t, engine.renders, one.renders)
		})
	}
}

// TestValuesOfOtherCharts: for an image of a subchart, only its values and global ones are tried.
func TestValuesOfOtherCharts(t *testing.T) {
	mapper, err := mapping.New("r.io", mapping.HostPrefix, nil)
	require.NoError(t, err)
	engine, reads := unset(t, "{{ print `quay.io/a` }}:1")
	var tried []string
	render := func(user map[string]any) (chartrender.Output, error) {
		output, err := engine.render(user)
		for i := range output.Documents {
			output.Documents[i].Template = "root/charts/part7/templates/t.yaml"
		}
		for key := range user {
			tried = append(tried, key)
		}
		return output, err
	}
	base, err := render(nil)
	require.NoError(t, err)
	found, err := locate.NewIndex().Find(base.Documents, nil)
	require.NoError(t, err)
	solve.Solver{Mapper: mapper, Render: render, Reads: reads}.Solve([]solve.Scenario{{Name: "default", Base: base, Locations: found.Locations}})
	require.NotEmpty(t, tried)
	require.Empty(t, strings.ReplaceAll(strings.Join(tried, ""), "part7", ""))
}
