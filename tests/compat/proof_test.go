package compat

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"gitops-runtime/internal/dropped"
	"gitops-runtime/internal/gomodule"
)

// Another value of each published value changes an object, which contains it unless it is a choice; or the value is dropped with an explanation.
func TestEveryValueChangesAnObject(t *testing.T) {
	t.Parallel()
	choices := map[string]string{ // what a value chooses, instead of appearing
		"global.affinity.podAntiAffinity":                                             "between fields of an affinity",
		"installer.skipUsageValidation":                                               "checks of validate-values",
		"global.affinity.nodeAffinity.type":                                           "between fields of an affinity",
		"global.integrations.argo-cd.server.auth.type":                                "how to log in to Argo CD",
		"global.external-argo-cd.auth.type":                                           "how to log in to Argo CD",
		"server.ingress.controller":                                                   "the objects for a cloud's load balancer",
		"redis-ha.affinity":                                                           "fields, by a string of YAML",
		"redis-ha.haproxy.affinity":                                                   "fields, by a string of YAML",
		"global.runtime.ingress.skipValidation":                                       "checks of validate-values",
		`installer.argoCdVersionCheck.argoServerLabels.app\.kubernetes\.io/component`: "the Argo CD that validate-values finds",
		`installer.argoCdVersionCheck.argoServerLabels.app\.kubernetes\.io/part-of`:   "the Argo CD that validate-values finds",
	}
	eachChart(t, func(t *testing.T, prover *Prover, name string) {
		values, droppedValues := published(t, prover.Chart, name)
		probes, err := prover.published(values, droppedValues)
		require.NoError(t, err)
		results, err := prover.Probe(probes)
		require.NoError(t, err)
		for _, each := range probes {
			found := results[each.key]
			_, toggle := each.value.(bool)
			assert.NoError(t, found.refused, "%s = %v", each.key, each.value)
			if !toggle && choices[each.key] == "" {
				assert.True(t, found.arrived, "%s = %v is in no object; it changes %v", each.key, each.value, found.changed)
			} else if choices[each.key] == "" {
				assert.NotEmpty(t, found.changed, "%s = %v changes no object", each.key, each.value)
			}
		}
	})
}

// Every value with a non-empty default changes an object when it is set to 0, false, "" or [], or is rejected, or has a listed reason.
func TestEveryEmptyValueChangesAnObject(t *testing.T) {
	t.Parallel()
	eachChart(t, func(t *testing.T, prover *Prover, name string) {
		reasons, err := EmptyReasons(name)
		require.NoError(t, err)
		probes, err := prover.empties()
		require.NoError(t, err)
		results, err := prover.Probe(probes)
		require.NoError(t, err)
		for _, each := range probes {
			found := results[each.key]
			if found.refused != nil {
				assert.Regexp(t, specific, found.refused.Error(), "%s: the error names neither the value nor the component", each.key)
				continue
			}
			assert.Equal(t, reasons[each.key] == "", len(found.changed) > 0, "%s = %v changes %v; a reason why not: %q", each.key, each.value, found.changed, reasons[each.key])
		}
	})
}

// A string with all special characters of YAML and templates appears unchanged, or evaluated if the value is a template; or it is rejected with an
// error that names the value or the component.
func TestTextsArriveVerbatim(t *testing.T) {
	t.Parallel()
	elsewhere := map[string]string{ // where an arbitrary string has no effect
		`installer.argoCdVersionCheck.argoServerLabels.app\.kubernetes\.io/component`: "the labels by which validate-values finds Argo CD",
		`installer.argoCdVersionCheck.argoServerLabels.app\.kubernetes\.io/part-of`:   "the labels by which validate-values finds Argo CD",
		"installer.skipChecks[]":                      "the checks that validate-values skips",
		"sealed-secrets.extraDeploy[]":                "a text is a template of whole objects",
		"sealed-secrets.rbac.serviceProxier.subjects": "a text is YAML",
		"apiVersionOverrides.awkward":                 "the keys are kinds",
		"repoServer.existingVolumes.awkward":          "the keys are volumes",
	}
	eachChart(t, func(t *testing.T, prover *Prover, _ string) {
		probes := prover.awkward()
		results, err := prover.Probe(probes)
		require.NoError(t, err)
		for _, each := range probes {
			found := results[each.key]
			if elsewhere[each.key] != "" {
				continue
			}
			if found.refused != nil {
				assert.Regexp(t, specific, found.refused.Error(), "%s: the error names neither the value nor the component", each.key)
				continue
			}
			assert.True(t, found.arrived, "%s: no field contains the string unchanged: %v", each.key, found.changed)
		}
	})
}

// The default requests that the comment of a value documents are those that another value removes.
func TestDocumentedRequestsAreTheDefault(t *testing.T) {
	t.Parallel()
	documented := regexp.MustCompile(`null for requests of (\S+) CPU and (\S+) of memory, \{\} for none`)
	root, err := gomodule.Root()
	require.NoError(t, err)
	eachChart(t, func(t *testing.T, prover *Prover, name string) {
		text, err := os.ReadFile(filepath.Join(root, "charts", name, "values.yaml"))
		require.NoError(t, err)
		var document yaml.Node
		require.NoError(t, yaml.Unmarshal(text, &document))
		eachComment(document.Content[0], nil, func(path []string, comment string) {
			requests := documented.FindStringSubmatch(comment)
			if requests == nil {
				return
			}
			found, err := prover.alone(probe{key: strings.Join(path, "."), path: path, value: map[string]any{}})
			require.NoError(t, err)
			var removed []string // of every container of the component
			for _, change := range found.changed {
				if _, what, ok := strings.Cut(change.Path, "resources.requests."); ok && change.Before != nil && change.After == nil {
					removed = append(removed, what+" "+*change.Before)
				}
			}
			assert.Subset(t, removed, []string{"cpu " + requests[1], "memory " + requests[2]}, "%s of %s", strings.Join(path, "."), name)
		})
	})
}

// eachComment calls do with the path of each value and the comment above it.
func eachComment(node *yaml.Node, path []string, do func(path []string, comment string)) {
	if node.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		at := append(append([]string{}, path...), node.Content[i].Value)
		do(at, node.Content[i].HeadComment)
		eachComment(node.Content[i+1], at, do)
	}
}

// A probe reports what changes, what arrives, and what the chart refuses, together with others or alone.
func TestProbe(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	chart, fixture := prepared(t, root, "argo-rollouts")
	prover := &Prover{Chart: chart, Fixture: fixture}
	at := func(path string, value any, unique bool, texts ...string) probe {
		return probe{key: path, path: dropped.ParsePath(path), value: value, unique: unique, texts: texts}
	}
	results, err := prover.Probe([]probe{
		at("controller.component", "changed1x", true, "changed1x"), at("dashboard.component", "changed2x", true, "changed2x"),
		at("controller.replicas", 7, false, "7"), at("controller.pdb.enabled", false, false), at("nothing", "changed3x", true, "changed3x"),
	})
	require.NoError(t, err)
	assert.True(t, results["controller.component"].arrived)
	assert.Nil(t, results["controller.component"].changed, "rendered with others")
	assert.True(t, results["dashboard.component"].arrived)
	assert.True(t, results["controller.replicas"].arrived)
	assert.NotEmpty(t, results["controller.pdb.enabled"].changed)
	assert.ErrorContains(t, results["nothing"].refused, "nothing")
	require.NoError(t, results["controller.replicas"].refused)
}
