package schema

import "slices"

// community are the charts that take the place of argo-helm's of the same names, which render a whole number in quotes as a number.
var community = []string{"argo-cd", "argo-events", "argo-rollouts", "argo-workflows"}

// acceptQuoted makes the values of a node that are whole numbers accept digits in quotes, too. Fields of Kubernetes, such as those of probes, are
// passed on as they are, and stay numbers.
func acceptQuoted(node Node) {
	properties, _ := node["properties"].(Node)
	for _, value := range properties {
		if child, ok := value.(Node); ok {
			acceptQuoted(child)
		}
	}
	kinds, _ := node["type"].([]any)
	if slices.Contains(kinds, any("integer")) && !slices.Contains(kinds, any("string")) && node["enum"] == nil {
		node["type"], node["pattern"] = append(slices.Clone(kinds), "string"), "^-?[0-9]+$"
	}
}
