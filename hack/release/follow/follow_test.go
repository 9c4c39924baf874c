package follow_test

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/hack/release/follow"
)

func table(t *testing.T, name string) []follow.Row {
	t.Helper()
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	if strings.HasSuffix(name, ".gz") {
		unpacked, err := gzip.NewReader(file)
		require.NoError(t, err)
		rows, err := follow.Read(name, unpacked)
		require.NoError(t, err)
		return rows
	}
	rows, err := follow.Read(name, file)
	require.NoError(t, err)
	return rows
}

// From 0.24.0 to 0.30.0, each difference that the published tables of differences have is found and classified, in both directions.
func TestEveryDifferenceIsClassified(t *testing.T) {
	t.Parallel()
	after := table(t, "../../../tests/contract/runtime-contract-0.30.0.tsv")
	since, only := table(t, "testdata/0.30.0-since-0.24.0.tsv.gz"), table(t, "testdata/0.24.0-only.tsv.gz")
	before := append(slices.DeleteFunc(slices.Clone(after), func(row follow.Row) bool { return slices.Contains(since, row) }), only...)
	all := follow.Compare(before, after)
	counts, lost := map[string]int{}, 0
	for _, one := range all {
		counts[one.Class]++
		if one.Gone || one.Before != nil {
			lost++
		}
	}
	kept := func(row follow.Row) bool { return !slices.Contains(after, row) }
	assert.ElementsMatch(t, slices.DeleteFunc(slices.Clone(since), kept), present(all), "two rows of the table of differences are not in the table of 0.30.0")
	assert.Equal(t, len(since)-2, len(present(all)))
	assert.ElementsMatch(t, since, present(follow.Compare(only, since)), "tables of differences are tables, too")
	assert.Empty(t, follow.Unclassified(all))
	assert.Equal(t, map[string]int{
		"definitions": 231, "dependencies": 77, "files": 11, "hooks": 19, "image set": 12, "labels": 322, "network": 94, "new image": 9, "objects": 94,
		"rights": 854, "settings": 406, "tuning": 43, "variables": 331,
	}, counts)
	assert.Greater(t, lost, 1000)
}

// present returns the rows of the new version.
func present(all []follow.Difference) []follow.Row {
	var rows []follow.Row
	for _, one := range all {
		if !one.Gone {
			rows = append(rows, one.Row)
		}
	}
	return rows
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	row := func(aspect, key, value string) follow.Row {
		return follow.Row{Scenario: "tunnel", Kind: "Deployment", Object: "a", Container: "a", Aspect: aspect, Key: key, Value: value}
	}
	base := []follow.Row{row("image", "main", "quay.io/codefresh/a:1"), row("resources", "limits.cpu", "1")}
	for name, test := range map[string]struct {
		after []follow.Row
		want  string
	}{
		"nothing":     {base, "Nothing differs."},
		"another tag": {[]follow.Row{row("image", "main", "quay.io/codefresh/a:2"), base[1]}, "The image set only: 1 differences."},
		"a limit":     {[]follow.Row{row("image", "main", "quay.io/codefresh/a:2"), row("resources", "limits.cpu", "2")}, "Images and values of known fields only: 2 differences."},
		"a variable":  {append(slices.Clone(base), row("env", "X", "literal:1")), "A person has to look at 1 of 1 differences."},
		"other image": {[]follow.Row{row("image", "main", "quay.io/codefresh/b:1"), base[1]}, "A person has to look at 1 of 1 differences."},
		"unknown":     {append(slices.Clone(base), row("magic", "X", "1")), "A person has to look at 1 of 1 differences."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := follow.Compare(base, test.after)
			assert.Equal(t, test.want, follow.Verdict(all))
			if name == "unknown" {
				assert.Equal(t, []string{"magic"}, follow.Unclassified(all))
			}
		})
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	row := follow.Row{Scenario: "ha", Kind: "Deployment", Object: "a", Container: "main", Aspect: "image", Key: "main", Value: "quay.io/codefresh/a:1"}
	newer, variable := row, row
	newer.Value, variable.Aspect, variable.Key, variable.Value = "quay.io/codefresh/a:2", "env", "X", "literal:1"
	folder := t.TempDir()
	rows := []follow.Row{newer, variable}
	require.NoError(t, follow.Write(folder, "1.tsv", "2.tsv", rows, follow.Compare([]follow.Row{row}, rows)))
	for name, want := range map[string]string{
		"images.tsv": "image\nquay.io/codefresh/a:2\n",
		"differences.tsv": "class\tchange\tscenario\tkind\tobject\tcontainer\taspect\tkey\tvalue\tbefore\n" +
			"image set\tchanged\tha\tDeployment\ta\tmain\timage\tmain\tquay.io/codefresh/a:2\tquay.io/codefresh/a:1\n" +
			"variables\tnew\tha\tDeployment\ta\tmain\tenv\tX\tliteral:1\t\n",
		"report.md": "# From 1.tsv to 2.tsv\n\nA person has to look at 1 of 2 differences.\n\n| class | new | changed | gone | of closed programs | |\n| --- | --- | --- | --- | --- | --- |\n" +
			"| image set | 0 | 1 | 0 | 1 | another version of the same image: written to images.tsv |\n" +
			"| variables | 1 | 0 | 0 | 1 | variables and arguments: what reads them, and which value sets them |\n" +
			"\n## Variables\n\nDeployment/a (closed)\n\n- [ ] new: env (ha) main X `literal:1`\n",
	} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		assert.Equal(t, want, string(text), name)
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	const heading = "scenario\tkind\tobject\tcontainer\taspect\tkey\tvalue\n"
	for text, want := range map[string]string{
		"":                 "t.tsv has no facts",
		"a\tb\n":           `t.tsv is not a table of facts: its first line has to be "scenario\tkind\tobject\tcontainer\taspect\tkey\tvalue"`,
		heading + "a\tb\n": "t.tsv:2 has 2 columns instead of 7",
		heading:            "t.tsv has no facts",
	} {
		_, err := follow.Read("t.tsv", strings.NewReader(text))
		assert.EqualError(t, err, want)
	}
}
