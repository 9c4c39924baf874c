package generate

import (
	"fmt"

	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/helmvalues"
)

// dropped warns about values that an earlier version of a file has and the new one does not: they may have been added manually.
func dropped(name string, earlier []byte, tree map[string]any) []string {
	var old map[string]any
	if len(earlier) == 0 || yaml.Unmarshal(earlier, &old) != nil {
		return nil
	}
	var warnings []string
	for _, leaf := range helmvalues.Leaves(old) {
		if _, found := helmvalues.Get(tree, leaf.Path); !found && len(leaf.Path) > 0 {
			warnings = append(warnings, fmt.Sprintf("%s of the earlier %s is not written again; keep your values in another file", leaf.Path, name))
		}
	}
	return warnings
}
