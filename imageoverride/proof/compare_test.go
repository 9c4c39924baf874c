package proof_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/locate"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/proof"
)

const before = `kind: Pod
metadata: {name: p, annotations: {checksum/config: aaaaaaaaaaaaaaaa, note: see config-0123456789}}
spec: {containers: [{image: "quay.io/a:1", command: ["run quay.io/a:1 twice quay.io/a:1"]}]}
`

func TestCompare(t *testing.T) {
	cases := []struct {
		name  string
		after string
		want  []proof.Change
	}{
		{"as planned", `kind: Pod
metadata: {name: p, annotations: {checksum/config: bbbbbbbbbbbbbbbb, note: see config-9876543210}}
spec: {containers: [{image: "r.io/quay.io/a:1", command: ["run r.io/quay.io/a:1 twice r.io/quay.io/a:1"]}]}
`, nil},
		{"half replaced", `kind: Pod
metadata: {name: p, annotations: {checksum/config: bbbbbbbbbbbbbbbb, note: see config-9876543210}}
spec: {containers: [{image: "r.io/quay.io/a:1", command: ["run quay.io/a:1 twice r.io/quay.io/a:1"]}]}
`, []proof.Change{{Field: "Pod/p spec.containers[0].command[0]", Before: "run quay.io/a:1 twice quay.io/a:1", After: "run quay.io/a:1 twice r.io/quay.io/a:1"}}},
		{"more and less", `kind: Pod
metadata: {name: p, annotations: {checksum/config: b, extra: x}}
spec: {containers: [{image: "r.io/quay.io/a:1", command: ["run r.io/quay.io/a:1 twice r.io/quay.io/a:1"]}]}
`, []proof.Change{
			{Field: "Pod/p metadata.annotations.extra", After: "x"},
			{Field: "Pod/p metadata.annotations.note", Before: "see config-0123456789"},
		}},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			index := locate.NewIndex()
			left := []chartrender.Document{{Template: "t", Text: before}}
			found, err := index.Find(left, nil)
			require.NoError(t, err)
			require.Len(t, found.Locations, 3)
			changes, err := proof.NewComparer(index).Compare(left, []chartrender.Document{{Template: "t", Text: test.after}}, found.Locations, func(l locate.Location) string { return "r.io/" + l.Text() })
			require.NoError(t, err)
			require.Equal(t, test.want, changes)
		})
	}
}

// TestCompareAgain: two compared documents can be compared again with another mapping.
func TestCompareAgain(t *testing.T) {
	index := locate.NewIndex()
	left := []chartrender.Document{{Template: "t", Text: before}}
	right := []chartrender.Document{{Template: "t", Text: strings.ReplaceAll(before, `image: "quay.io/a:1"`, `image: "r.io/a:1"`)}}
	found, err := index.Find(left, nil)
	require.NoError(t, err)
	comparer := proof.NewComparer(index)
	stays := func(l locate.Location) string { return l.Text() }
	moves := func(l locate.Location) string {
		if strings.HasSuffix(l.Field.Path, ".image") {
			return "r.io/a:1"
		}
		return l.Text()
	}
	everything := func(locate.Location) string { return "r.io/a:1" }
	image := proof.Change{Field: "Pod/p spec.containers[0].image", Before: "quay.io/a:1", After: "r.io/a:1"}
	command := proof.Change{Field: "Pod/p spec.containers[0].command[0]", Before: "run quay.io/a:1 twice quay.io/a:1", After: "run quay.io/a:1 twice quay.io/a:1"}
	for _, test := range []struct {
		target func(locate.Location) string
		want   []proof.Change
	}{{stays, []proof.Change{image}}, {moves, nil}, {everything, []proof.Change{command}}, {stays, []proof.Change{image}}} {
		changes, err := comparer.Compare(left, right, found.Locations, test.target)
		require.NoError(t, err)
		require.Equal(t, test.want, changes)
	}
}

// TestContentID: an id of 64 digits in the YAML of a ConfigMap is a checksum of what it is next to; another id or a shorter one is not.
func TestContentID(t *testing.T) {
	config := func(id, other string) []chartrender.Document {
		return []chartrender.Document{{Template: "t", Text: "kind: ConfigMap\nmetadata: {name: c}\ndata:\n  c.yaml: |\n    - id: " + strings.Repeat(id, 64) + "\n      other: {id: " + strings.Repeat(other, 32) + "}\n"}}
	}
	changes, err := proof.NewComparer(locate.NewIndex()).Compare(config("a", "c"), config("b", "d"), nil, nil)
	require.NoError(t, err)
	require.Equal(t, []proof.Change{{Field: `ConfigMap/c data.c\.yaml > [0].other.id`, Before: strings.Repeat("c", 32), After: strings.Repeat("d", 32)}}, changes)
}

func TestCompareWholeDocuments(t *testing.T) {
	index := locate.NewIndex()
	one, two := chartrender.Document{Template: "t", Text: "kind: A"}, chartrender.Document{Template: "t", Index: 1, Text: "kind: B"}
	changes, err := proof.NewComparer(index).Compare([]chartrender.Document{one}, []chartrender.Document{one, two}, nil, nil)
	require.NoError(t, err)
	require.Equal(t, []proof.Change{{Field: "B/ kind", After: "B"}}, changes)
	changes, err = proof.NewComparer(index).Compare([]chartrender.Document{one, two}, []chartrender.Document{one}, nil, nil)
	require.NoError(t, err)
	require.Equal(t, []proof.Change{{Field: "B/ kind", Before: "B"}}, changes)
}

func TestOutsideOf(t *testing.T) {
	mapper, err := mapping.New("r.io/x", mapping.HostPrefix, nil)
	require.NoError(t, err)
	found, err := locate.NewIndex().Find([]chartrender.Document{{Template: "t", Text: "kind: Pod\nmetadata: {name: p}\nspec: {containers: [{image: nginx}, {image: 'r.io/x/a:1'}]}\n"}}, nil)
	require.NoError(t, err)
	require.Equal(t, []proof.Outside{{Object: "Pod/p", Path: "spec.containers[0].image", Image: "nginx", Template: "t"}}, proof.OutsideOf(found.Locations, mapper))
}
