package overridecmd

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"helm.sh/helm/v3/pkg/chart"
)

// The CPU time of a run grows with the templates of a chart and its subcharts, and with scenarios.
func TestAllowedTimeGrowsWithTemplates(t *testing.T) {
	t.Parallel()
	sized := func(size int, subcharts ...*chart.Chart) *chart.Chart {
		c := &chart.Chart{Templates: []*chart.File{{Name: "templates/a.yaml", Data: make([]byte, size)}}}
		c.SetDependencies(subcharts...)
		return c
	}
	for name, one := range map[string]struct {
		chart     *chart.Chart
		scenarios []string
		want      time.Duration
	}{
		"small":               {sized(256 << 10), nil, 0},
		"large":               {sized(128<<10, sized(1<<20), sized(128<<10)), nil, 20 * time.Second},
		"very large":          {sized(100 << 20), nil, time.Minute},
		"large, of scenarios": {sized(256<<10, sized(512<<10)), []string{"a=a.yaml", "b=b.yaml"}, RunTime + 20*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			var allowed time.Duration
			flags := chartFlags{scenarios: one.scenarios, extend: func(more time.Duration) { allowed += more }}
			options := flags.options
			flags.allow(&options)
			options.Loaded(one.chart)
			assert.Equal(t, one.want, allowed)
		})
	}
}
