package migrate

import (
	_ "embed"
	"fmt"

	"sigs.k8s.io/yaml"

	"gitops-runtime/internal/dropped"
)

//go:embed differs.yaml
var differsText []byte

// effect is the other effect that a value of the umbrella chart has here; an empty Value is for each.
type effect struct{ Path, Value, Reason string }

// differ replaces the verdict "unchanged" of the values of the umbrella chart whose effect here is not that in the published chart. The text is the
// migrated file.
func differ(changes []Change, text []byte) ([]Change, error) {
	var effects []effect
	if err := yaml.UnmarshalStrict(differsText, &effects); err != nil {
		return nil, fmt.Errorf("differs.yaml: %w", err)
	}
	var values map[string]any
	if err := yaml.Unmarshal(text, &values); err != nil {
		return nil, fmt.Errorf("read the migrated values: %w", err)
	}
	for i, change := range changes {
		for _, each := range effects {
			same := each.Value == "" || each.Value == fmt.Sprint(at(values, change.Path))
			if change.Verdict == Unchanged && change.Path.Within(dropped.ParsePath(each.Path)) && same {
				changes[i].Verdict, changes[i].Reason = Differs, each.Reason
			}
		}
	}
	return changes, nil
}

// at returns the value at a path of keys, nil if there is none.
func at(values map[string]any, path dropped.Path) any {
	var found any = values
	for _, key := range path {
		below, _ := found.(map[string]any)
		found = below[key]
	}
	return found
}
