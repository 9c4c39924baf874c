package contract

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/generated"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/tests/contract/facts"
)

// The chart is rendered once in every scenario; each part of the test checks a different property.
func TestTheChartKeepsTheContract(t *testing.T) {
	t.Parallel()
	result, err := Hold(t.Context())
	require.NoError(t, err)
	for name, part := range map[string]func(*testing.T, Result){
		"every fact": everyFact, "mutations": mutations, "rights": mutatedRights, "in place": inPlace, "closed set": closedSet,
		"published rights": publishedRights, "page": pageInStep, "nothing vanishes": nothingVanishes,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			part(t, result)
		})
	}
}

// pageInStep checks that the page matches these facts.
func pageInStep(t *testing.T, result Result) {
	made, err := Page(result)
	require.NoError(t, err)
	root, err := gomodule.Root()
	require.NoError(t, err)
	drift, err := generated.Drift(root, []generated.File{{Path: Path, Text: []byte(made)}})
	require.NoError(t, err)
	assert.Empty(t, drift)

	result.Findings = []Finding{{Scenario: Base, Judgment: Judgment{Outcome: Missing}}}
	_, err = Page(result)
	assert.ErrorContains(t, err, "1 facts differ without a reason in tests/contract/allow.tsv, the first: scenario tunnel")
}

func everyFact(t *testing.T, result Result) {
	entries, err := Allowed()
	require.NoError(t, err)
	_, unexpected, stale := Reasons(entries, result.Findings)
	assert.Empty(t, unexpected)
	assert.Empty(t, stale, "entries that match no difference; remove them")
	counts := map[Outcome]int{}
	for _, finding := range result.Findings {
		counts[finding.Outcome]++
	}
	t.Logf("%d facts: %v", len(result.Findings), counts)
}

// A closed-source program's container lists each of its differences: a pattern would allow differences that have not been reviewed.
func TestClosedProgramsHaveNoPatterns(t *testing.T) {
	t.Parallel()
	table, err := Published()
	require.NoError(t, err)
	entries, err := Allowed()
	require.NoError(t, err)
	assert.Empty(t, patterns(table, entries))
	for line, want := range map[string]int{
		"*\tDeployment/cap-app-proxy\tenv\tA*\tr":       1,
		"*\tDeployment/*\tmount\t/x\tr":                 0, // names its key, in containers of any workload
		"*\t*\t*\t*\tr":                                 1,
		"ha\tDeployment/argo-gateway\t*\tA\tr":          1,
		"*\tDeployment/internal-router\tenv\t*\tr":      0,
		"*\tDeployment/cap-app-proxy\tlabel\t*\tr":      0,
		"*\tDeployment/gitops-operator\targ\t[ab]\tr":   1,
		"*\tDeployment/gitops-operator\targ\ta[[]0]\tr": 0,
	} {
		entries, err := readAllowed(line + "\n")
		require.NoError(t, err)
		assert.Len(t, patterns(table, entries), want, line)
	}
}

// isPattern reports whether a pattern matches more than one text; [[] and [*] match only the character.
func isPattern(pattern string) bool {
	return strings.ContainsAny(strings.NewReplacer("[[]", "", "[*]", "", "[?]", "").Replace(pattern), "*?[")
}

// patterns returns the entries that allow aspects or keys of a closed container by a pattern.
func patterns(table Table, entries []Entry) []Entry {
	var found []Entry
	for _, entry := range entries {
		if !isPattern(entry.Aspect) && !isPattern(entry.Key) {
			continue
		}
		if slices.ContainsFunc(table.Scenarios, func(name string) bool {
			of := newScenario(table, name)
			for object, containers := range of.images {
				for container := range containers {
					for _, aspect := range []string{"env", "envFrom", "arg", "mount", "image", "port", "probe", "securityContext"} {
						if of.isClosed(object, container) && glob(entry.Object, object.String()) && glob(entry.Aspect, aspect) {
							return true
						}
					}
				}
			}
			return false
		}) {
			found = append(found, entry)
		}
	}
	return found
}

func TestReadImages(t *testing.T) {
	t.Parallel()
	images, err := Images()
	require.NoError(t, err)
	assert.Equal(t, "1.4124.0", images["codefresh/cap-app-proxy"])
	assert.Equal(t, "4212bc7", images["codefresh/cf-argocd-extras"])
	_, err = readImages("component\trepository\t0.24.0\na\tb\tc\n")
	assert.EqualError(t, err, "runtime-images.tsv:2: has no column 0.30.0")
}

// closedSet checks the tags of closed-source programs: the contract applies only to these builds.
func closedSet(t *testing.T, result Result) {
	images, err := Images()
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, scenario := range result.Scenarios {
		for object, containers := range scenario.contract.images {
			for container := range containers {
				if !scenario.contract.isClosed(object, container) {
					continue
				}
				comparison := Compare(scenario.contract, scenario.Have)
				own, ok := comparison.container(object, object, container)
				require.True(t, ok, "scenario %s: %s has no container that runs %s", scenario.Name, object, container)
				name := comparison.images[object][own].name
				_, tag, _ := strings.Cut(name[strings.LastIndex(name, "/")+1:], ":")
				assert.Equal(t, images[repository(name)], strings.TrimSuffix(tag, "@"), "scenario %s: %s container %s: the tag of %s", scenario.Name, object, container, name)
				seen[repository(name)] = true
			}
		}
	}
	assert.ElementsMatch(t, closedImages(), keysOf(seen))
}

func keysOf(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// publishedRights checks the permissions that the published chart grants: the documented values restore each of them.
func publishedRights(t *testing.T, result Result) {
	for _, base := range []string{Base, "single-namespace"} {
		have, err := Render(base, "published-rights")
		require.NoError(t, err)
		scenario := NewScenario(result.Table, base, have)
		restored := 0
		for fact, judgment := range scenario.Judge(have) {
			if fact.Aspect != "rule" || fact.Key != "*/*:*" {
				continue
			}
			switch fact.Name {
			case "runtime-event-reporter", "cluster-event-reporter", "cap-app-proxy-enrichment":
				restored++
				assert.Equal(t, Satisfied, judgment.Outcome, "scenario %s with the published rights: %s: %s", base, fact, judgment.Have)
			}
		}
		assert.GreaterOrEqual(t, restored, 3, base)
	}
}

// inPlace checks that an API server accepts each object of the chart as an update of the published chart's: immutable fields are the same.
func inPlace(t *testing.T, result Result) {
	checked := 0
	for _, scenario := range result.Scenarios {
		for fact, want := range scenario.contract.whole {
			if !immutable(fact) {
				continue
			}
			if _, exists := scenario.Have.Objects()[fact.Object]; !exists {
				continue // another kind, or none: it is created as a new object
			}
			checked++
			have, ok := scenario.Have.Get(fact)
			if !ok && strings.HasPrefix(fact.Key, "binds ") {
				for other := range scenario.Have.Objects()[fact.Object] {
					if strings.HasPrefix(other.Key, "binds ") {
						have = other.Key
					}
				}
				want = fact.Key
			}
			if strings.HasPrefix(fact.Key, "binds ") && ok {
				continue // the same role; its subjects may change
			}
			assert.Equal(t, want, have, "scenario %s: %s cannot be changed by an upgrade in place", scenario.Name, fact)
		}
		checked += more(t, scenario)
	}
	assert.Greater(t, checked, 100)
	t.Logf("%d immutable fields", checked)
}

// immutable reports whether the API server refuses to change a fact of an existing object.
func immutable(fact facts.Fact) bool {
	switch fact.Kind {
	case "Deployment", "StatefulSet", "DaemonSet":
		return fact.Aspect == "selector" || fact.Aspect == "strategy" && (fact.Key == "serviceName" || fact.Key == "podManagementPolicy")
	case "Service":
		return fact.Aspect == "servicePort" && fact.Key == "(clusterIP)"
	case "Secret":
		return fact.Aspect == "data" && fact.Key == "(type)"
	case "RoleBinding", "ClusterRoleBinding":
		return strings.HasPrefix(fact.Key, "binds ")
	case "CustomResourceDefinition":
		return fact.Aspect == "crd" && (fact.Key == "group" || fact.Key == "scope" || fact.Key == "names.kind" || fact.Key == "names.plural")
	}
	return false
}

// more checks additions to the contract: a selector has no additional labels, a Service gets no fixed address that it did not have.
func more(t *testing.T, scenario *Scenario) int {
	checked := 0
	for object, all := range scenario.Have.Objects() {
		known, ok := scenario.contract.objects[object]
		if _, whole := known[facts.Fact{Object: object, Container: facts.None, Aspect: "object", Key: "apiVersion"}]; !ok || !whole && scenario.Name != Subcharts {
			continue
		}
		for fact, value := range all {
			if !immutable(fact) || object.Kind != "Deployment" && object.Kind != "StatefulSet" && object.Kind != "Service" {
				continue
			}
			_, has := known[fact]
			if !slices.ContainsFunc(keys(known), func(f facts.Fact) bool { return f.Aspect == fact.Aspect }) {
				continue // the table does not contain it
			}
			checked++
			assert.True(t, has, "scenario %s: %s is %s, and the contract does not have it: an upgrade in place is rejected", scenario.Name, fact, value)
		}
	}
	return checked
}

func keys(all facts.Facts) []facts.Fact {
	var found []facts.Fact
	for fact := range all {
		found = append(found, fact)
	}
	return found
}
