package compat

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/gomodule"
)

// The values with which the community tests its charts render here, except values that its published versions lack.
func TestTheCommunitysOwnValuesRender(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	text, err := os.ReadFile("testdata/community-ci.yaml")
	require.NoError(t, err)
	var charts map[string]map[string]struct {
		Values                 map[string]any
		Shows, Refused, Reason string
	}
	require.NoError(t, yaml.UnmarshalStrict(text, &charts))
	for name, cases := range charts {
		chart, err := Load(root, name)
		require.NoError(t, err)
		for title, c := range cases {
			t.Run(name+" "+title, func(t *testing.T) {
				t.Parallel()
				rendered, err := chart.facts(whole, c.Values)
				if c.Refused != "" {
					require.ErrorContains(t, err, c.Refused)
					assert.NotEmpty(t, c.Reason)
					return
				}
				require.NoError(t, err)
				assert.Contains(t, rendered, c.Shows)
			})
		}
	}
}
