package schema

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

func TestReadDropped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []Dropped
		err  string
	}{
		"an entry": {
			text: "- {path: a.b, reason: It is gone, instead: Set c}\n",
			want: []Dropped{{Path: Path{"a", "b"}, Reason: "It is gone", Instead: "Set c"}},
		},
		"an entry without help": {
			text: "- {path: a.b, reason: It is gone}\n",
			err:  "what chart drops: {Path:a.b Reason:It is gone Instead: Renamed:} needs path, reason, and either instead or renamed",
		},
		"an entry with another name": {
			text: "- {path: a.b, reason: It moved, renamed: c}\n",
			want: []Dropped{{Path: Path{"a", "b"}, Reason: "It moved", Instead: "Set c", Renamed: Path{"c"}}},
		},
		"an entry with another name and help": {
			text: "- {path: a.b, reason: It moved, renamed: c, instead: Set c}\n",
			err:  "what chart drops: {Path:a.b Reason:It moved Instead:Set c Renamed:c} needs path, reason, and either instead or renamed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ReadDropped(fstest.MapFS{"chart.yaml": {Data: []byte(c.text)}}, "chart")
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
	entry := Dropped{Path: Path{"a", "b"}, Renamed: Path{"c"}}
	assert.Equal(t, Path{"c", "d"}, entry.Now(Path{"a", "b", "d"}))
	assert.Equal(t, Path{"c"}, entry.Now(Path{"a", "b"}))
}

func TestAChartThatDropsNothing(t *testing.T) {
	t.Parallel()
	got, err := ReadDropped(fstest.MapFS{}, "chart")
	require.NoError(t, err)
	assert.Empty(t, got)
}

func TestRefuse(t *testing.T) {
	t.Parallel()
	node := func() Node { return Node{"properties": Node{"a": Node{"properties": Node{}}, "b": Node{}}} }
	for name, c := range map[string]struct {
		path string
		err  string
	}{
		"below an object":           {path: "a.old"},
		"below a value":             {path: "b.old", err: "dropped value b.old: b has no keys of its own"},
		"below what does not exist": {path: "c.old", err: "dropped value c.old: the schema does not know c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schema := node()
			err := refuse(schema, []Dropped{{Path: ParsePath(c.path), Reason: "It is gone", Instead: "Set c"}})
			if c.err != "" {
				assert.EqualError(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, Node{"description": "Dropped", "const": "(left out) It is gone. Set c."}, schema["properties"].(Node)["a"].(Node)["properties"].(Node)["old"])
		})
	}
}
