package published

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// rules returns the rules of a role. A row's key is "group/resource[#name]:verb", with core for the group without a name.
func rules(from source) ([]any, error) {
	var made []any
	for _, key := range slices.Sorted(maps.Keys(from.of("rule"))) {
		what, verb, ok := strings.Cut(key, ":")
		group, resource, slash := strings.Cut(what, "/")
		if !ok || !slash {
			return nil, fmt.Errorf("the right %q is not of the form group/resource:verb", key)
		}
		if group == "core" {
			group = ""
		}
		resource, name, named := strings.Cut(resource, "#")
		rule := map[string]any{"apiGroups": []any{group}, "resources": []any{resource}, "verbs": []any{verb}}
		if named {
			rule["resourceNames"] = []any{name}
		}
		made = append(made, rule)
	}
	return made, nil
}

// binding returns the role and the subjects of a binding. A row is "binds KIND/NAME" with the value "sa=NAMESPACE/NAME,…".
func binding(from source) (role map[string]any, subjects []any, err error) {
	rows := from.of("rule")
	if len(rows) != 1 {
		return nil, nil, fmt.Errorf("it binds %d roles instead of one", len(rows))
	}
	for key, value := range rows {
		kind, name, ok := strings.Cut(strings.TrimPrefix(key, "binds "), "/")
		if !ok {
			return nil, nil, fmt.Errorf("the row %q is not of the form binds KIND/NAME", key)
		}
		role = map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name}
		for account := range strings.SplitSeq(strings.TrimPrefix(value, "sa="), ",") {
			namespace, name, _ := strings.Cut(account, "/")
			subjects = append(subjects, map[string]any{"kind": "ServiceAccount", "namespace": namespace, "name": name})
		}
	}
	return role, subjects, nil
}
