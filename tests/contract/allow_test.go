package contract

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/contract/facts"
)

func TestReadAllowed(t *testing.T) {
	t.Parallel()
	entries, err := readAllowed("# a comment\n\nha\tDeployment/w\tenv\tA*\tbecause\n")
	require.NoError(t, err)
	assert.Equal(t, []Entry{{"ha", "Deployment/w", "env", "A*", "because", 3}}, entries)
	assert.Equal(t, "tests/contract/allow.tsv:3: ha Deployment/w env A*", entries[0].String())
	for text, want := range map[string]string{
		"ha\tDeployment/w\tenv\tA*\n":       "allow.tsv:1: has 4 columns; separate scenario, kind/object, aspect, key and reason by tabs, none empty",
		"ha\tDeployment/w\tenv\tA*\t\n":     "allow.tsv:1: has 5 columns; separate scenario, kind/object, aspect, key and reason by tabs, none empty",
		"ha\tDeployment/w\tenv\t[\tbecause": `allow.tsv:1: "[" is not a pattern; use *, ? and [...]`,
		"ha\tDeployment/w\t\tA*\tbecause\n": `allow.tsv:1: "" is not a pattern; use *, ? and [...]`,
	} {
		_, err := readAllowed(text)
		assert.EqualError(t, err, want)
	}
}

func TestReasons(t *testing.T) {
	t.Parallel()
	finding := func(scenario, key string, outcome Outcome) Finding {
		fact := facts.Fact{Object: facts.Object{Kind: "Deployment", Name: "w"}, Container: "c", Aspect: "env", Key: key}
		return Finding{scenario, fact, "literal:x", Judgment{Outcome: outcome}}
	}
	entries, err := readAllowed("*\tDeployment/w\tenv\tA/*\tone\n*\t*\tenv\tB\ttwo\nha\t*/w\t*\tC\tthree\n")
	require.NoError(t, err)
	findings := []Finding{finding("ha", "A/b/c", Missing), finding("ha", "B", Satisfied), finding("tunnel", "C", Different), finding("ha", "C", Different)}
	reasons, unexpected, stale := Reasons(entries, findings)
	assert.Equal(t, map[int]Entry{0: entries[0], 3: entries[2]}, reasons)
	assert.Equal(t, []Finding{findings[2]}, unexpected)
	assert.Equal(t, []Entry{entries[1]}, stale, "a satisfied fact needs no reason")
	assert.Equal(t, `scenario tunnel: Deployment/w container c: env "C" is different: the contract has literal:x, the chart has nothing`, unexpected[0].String())
}
