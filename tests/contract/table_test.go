package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/contract/facts"
)

func TestReadTable(t *testing.T) {
	t.Parallel()
	const head = "scenario\tkind\tobject\tcontainer\taspect\tkey\tvalue\n"
	const rows = head + "tunnel\tK\to\t-\tdata\ta\t1\ntunnel\tK\to\t-\tdata\tb\t2\nha\tK\to\t-\tdata\ta\t(absent)\nha\tK\to\tc\tenv\tz\t\n"
	table, err := readTable("t.tsv", rows)
	require.NoError(t, err)
	fact := func(container, aspect, key string) facts.Fact {
		return facts.Fact{Object: facts.Object{Kind: "K", Name: "o"}, Container: container, Aspect: aspect, Key: key}
	}
	assert.Equal(t, []string{"tunnel", "ha"}, table.Scenarios)
	assert.Equal(t, facts.Facts{fact("-", "data", "a"): "1", fact("-", "data", "b"): "2"}, table.Whole("tunnel"))
	assert.Equal(t, facts.Facts{fact("-", "data", "b"): "2", fact("c", "env", "z"): ""}, table.Whole("ha"))
	assert.Equal(t, facts.Facts{fact("c", "env", "z"): ""}, table.Rows("ha"))
	assert.Equal(t, map[facts.Fact]bool{fact("-", "data", "a"): true}, table.Gone("ha"))

	for text, want := range map[string]string{
		head + "tunnel\tK\n": "t.tsv:2: has 2 columns instead of 7; separate scenario, kind, object, container, aspect, key and value by tabs",
		head + "tunnel\tK\to\t-\tdata\ta\t1\ntunnel\tK\to\t-\tdata\ta\t2\n": `t.tsv:3: K/o: data "a" of the scenario tunnel occurs twice`,
	} {
		_, err := readTable("t.tsv", text)
		assert.EqualError(t, err, want)
	}
}

// The table is complete, and every scenario of it has values.
func TestPublished(t *testing.T) {
	t.Parallel()
	table, err := Published()
	require.NoError(t, err)
	assert.Len(t, table.Scenarios, 26)
	rows := 0
	for _, name := range table.Scenarios {
		rows += len(table.Rows(name)) + len(table.Gone(name))
		values, err := ScenarioValues(name)
		require.NoError(t, err)
		assert.NotEmpty(t, values)
	}
	assert.Equal(t, 3527, rows)
	values, err := ScenarioValues("ha")
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"replicaCount": 2.0}, values["app-proxy"])
	assert.Equal(t, map[string]any{"name": "rtmname"}, values["global"].(map[string]any)["runtime"])
	_, err = ScenarioValues("none")
	assert.ErrorContains(t, err, "scenario none has no values: create tests/contract/scenarios/none.yaml")
}
