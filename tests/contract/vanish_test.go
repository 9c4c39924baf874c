package contract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/tests/contract/facts"
)

// nothingVanishes checks that every entry of the chart's own manifests that may be 0, false or empty is a fact: a missing fact is never compared.
func nothingVanishes(t *testing.T, result Result) {
	counted, empty := 0, 0
	expect := func(scenario *Scenario, fact facts.Fact, value any) {
		_, ok := scenario.Have.Get(fact)
		assert.True(t, ok, "scenario %s: %s is %v in the manifests, and not a fact", scenario.Name, fact, value)
		counted++
		switch value.(type) {
		case nil, string, bool, float64:
			if text := fmt.Sprint(value); value == nil || text == "" || text == "0" || text == "false" {
				empty++
			}
		}
	}
	for _, scenario := range result.Scenarios {
		for object := range scenario.Have.Objects() {
			content := scenario.Have.Rendered(object).Object
			switch {
			case object.Kind == "ConfigMap":
				data, _ := content["data"].(map[string]any)
				for key, value := range data {
					if text, ok := value.(string); !ok || !strings.Contains(strings.TrimSpace(text), "\n") {
						expect(scenario, facts.Fact{Object: object, Container: facts.None, Aspect: "data", Key: key}, value)
					}
				}
			case facts.IsWorkload(object.Kind) && object.Kind != "CronJob":
				spec := content["spec"].(map[string]any)
				if replicas, ok := spec["replicas"]; ok {
					expect(scenario, facts.Fact{Object: object, Container: facts.None, Aspect: "strategy", Key: "replicas"}, replicas)
				}
				pod := spec["template"].(map[string]any)["spec"].(map[string]any)
				for _, field := range []string{"initContainers", "containers"} {
					for _, container := range list(pod, field) {
						of := container.(map[string]any)
						name := of["name"].(string)
						for _, variable := range list(of, "env") {
							entry := variable.(map[string]any)
							value := entry["value"]
							if from, ok := entry["valueFrom"]; ok {
								value = from
							}
							expect(scenario, facts.Fact{Object: object, Container: name, Aspect: "env", Key: entry["name"].(string)}, value)
						}
						restrictions, _ := of["securityContext"].(map[string]any)
						for key, value := range restrictions {
							switch value.(type) {
							case map[string]any, []any:
							default:
								expect(scenario, facts.Fact{Object: object, Container: name, Aspect: "securityContext", Key: key}, value)
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d entries, %d of them 0, false or empty", counted, empty)
	assert.Greater(t, empty, 1000)
}
