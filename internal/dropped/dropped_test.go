package dropped

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPath(t *testing.T) {
	t.Parallel()
	path := ParsePath(`controller.nodeSelector.kubernetes\.io/os`)
	assert.Equal(t, Path{"controller", "nodeSelector", "kubernetes.io/os"}, path)
	assert.Equal(t, `controller.nodeSelector.kubernetes\.io/os`, path.String())
	assert.True(t, path.Within(ParsePath("controller.nodeSelector")))
	assert.True(t, path.Within(path))
	assert.False(t, path.Within(ParsePath("controller.node")))
	assert.False(t, ParsePath("controller").Within(path))
}

func TestRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []Value
		err  string
	}{
		"an entry": {
			text: "- {path: a.b, reason: It is gone, instead: Set c}\n",
			want: []Value{{Path: Path{"a", "b"}, Reason: "It is gone", Instead: "Set c"}},
		},
		"an entry without instead": {
			text: "- {path: a.b, reason: It is gone}\n",
			err:  "what chart drops: {Path:a.b Reason:It is gone Instead: Renamed: As: Harmless:false List:false} needs path, reason, and instead or renamed",
		},
		"a renamed entry": {
			text: "- {path: a.b, reason: It moved, renamed: c}\n",
			want: []Value{{Path: Path{"a", "b"}, Reason: "It moved", Instead: "Set c", Renamed: Path{"c"}}},
		},
		"a renamed entry with instead": {
			text: "- {path: a.b, reason: It moved, renamed: c, instead: Set c to x, as: true=x, list: true}\n",
			want: []Value{{Path: Path{"a", "b"}, Reason: "It moved", Instead: "Set c to x", Renamed: Path{"c"}, As: "true=x", List: true}},
		},
		"a conversion without a name": {
			text: "- {path: a.b, reason: It moved, instead: Set c to x, as: true=x}\n",
			err:  "what chart drops: {Path:a.b Reason:It moved Instead:Set c to x Renamed: As:true=x Harmless:false List:false} needs path, reason, and instead or renamed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := read(fstest.MapFS{"chart.yaml": {Data: []byte(c.text)}}, "chart")
			if c.err != "" {
				assert.EqualError(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestNow(t *testing.T) {
	t.Parallel()
	entry := Value{Path: Path{"a", "b"}, Renamed: Path{"c"}}
	assert.Equal(t, Path{"c", "d"}, entry.Now(Path{"a", "b", "d"}))
	assert.Equal(t, Path{"c"}, entry.Now(Path{"a", "b"}))
}

func TestAChartThatDropsNothing(t *testing.T) {
	t.Parallel()
	got, err := Of("chart")
	require.NoError(t, err)
	assert.Empty(t, got)
}

func TestDroppedValuesAreWellFormed(t *testing.T) {
	t.Parallel()
	charts, err := Charts()
	require.NoError(t, err)
	assert.Contains(t, charts, "gitops-runtime")
	for _, chart := range charts {
		values, err := Below("key", chart)
		require.NoError(t, err)
		assert.NotEmpty(t, values, chart)
		for _, value := range values {
			assert.Equal(t, "key", value.Path[0])
		}
	}
}
