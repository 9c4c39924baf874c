package security

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"gitops-runtime/tests/golden"
)

// rule is one rule of a Role or ClusterRole with the comment above it.
type rule struct {
	APIGroups       []string `yaml:"apiGroups"`
	Resources       []string `yaml:"resources"`
	ResourceNames   []string `yaml:"resourceNames"`
	NonResourceURLs []string `yaml:"nonResourceURLs"`
	Verbs           []string `yaml:"verbs"`
	why             string
}

// what describes the objects of the rule: resources with their groups, and names.
func (r rule) what() string {
	if len(r.NonResourceURLs) > 0 {
		return "paths " + strings.Join(r.NonResourceURLs, ", ")
	}
	var groups []string
	for _, group := range r.APIGroups {
		if group != "" {
			groups = append(groups, group)
		}
	}
	text := strings.Join(r.Resources, ", ")
	if len(groups) > 0 {
		text += " (" + strings.Join(groups, ", ") + ")"
	}
	if len(r.ResourceNames) > 0 {
		text += " named " + strings.Join(r.ResourceNames, ", ")
	}
	return text
}

func (r rule) reads(resource string) bool {
	return has(r.Resources, resource) && (has(r.Verbs, "get") || has(r.Verbs, "list") || has(r.Verbs, "watch")) && has(r.APIGroups, "")
}

func has(words []string, word string) bool {
	for _, w := range words {
		if w == word || w == "*" {
			return true
		}
	}
	return false
}

// rulesOf reads the rules of a Role or ClusterRole from its text, the comment above a rule being its reason.
func rulesOf(document golden.Document) ([]rule, error) {
	var node struct {
		Rules yaml.Node `yaml:"rules"`
	}
	if err := yaml.Unmarshal([]byte(document.Text), &node); err != nil {
		return nil, fmt.Errorf("%s: %w", document.Key(), err)
	}
	return commented(document, node.Rules, func(read *rule, why string) { read.why = why })
}

// commented reads the items of a list in a document; set stores the comment above each.
func commented[T any](document golden.Document, list yaml.Node, set func(item *T, comment string)) ([]T, error) {
	var items []T
	for _, node := range list.Content {
		var item T
		if err := node.Decode(&item); err != nil {
			return nil, fmt.Errorf("%s: %w", document.Key(), err)
		}
		set(&item, comment(node))
		items = append(items, item)
	}
	return items, nil
}

// comment returns the comment above an item of a list.
func comment(item *yaml.Node) string {
	text := item.HeadComment
	if text == "" && len(item.Content) > 0 {
		text = item.Content[0].HeadComment
	}
	return strings.TrimSpace(strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(text), "#"), "\n# ", " "))
}

// right is a rule of an account, with its scope and cases.
type right struct {
	rule
	scope string
	when  occasions
}

// account is a service account of the chart.
type account struct {
	when   occasions
	token  bool // pods mount its token unless they opt out
	rights ordered[right]
}

// accounts returns the service accounts of the releases by name, each with all its rules. Rules without a reason are added to missing.
func accounts(all []release) (found ordered[account], unbound ordered[right], missing []string, err error) {
	for _, made := range all {
		roles := map[string][]rule{}
		bound := map[string]bool{}
		for _, document := range made.documents {
			switch document.Object.GetKind() {
			case "Role", "ClusterRole":
				if roles[document.Key()], err = rulesOf(document); err != nil {
					return found, unbound, nil, err
				}
			case "ServiceAccount":
				of := found.at(document.Object.GetName())
				of.when.add(made.name)
				of.token = document.Object.Object["automountServiceAccountToken"] == true
			}
		}
		for _, document := range made.documents {
			if kind := document.Object.GetKind(); kind != "RoleBinding" && kind != "ClusterRoleBinding" {
				continue
			}
			binding, err := bindingOf(document)
			if err != nil {
				return found, unbound, nil, err
			}
			bound[binding.role] = true
			rules, known := roles[binding.role]
			if !known {
				rules = []rule{{Resources: []string{"what the cluster's own " + binding.role + " allows"}, why: binding.why}}
			}
			for _, subject := range binding.subjects {
				of := found.at(subject)
				of.when.add(made.name)
				for _, r := range rules {
					collect(&of.rights, r, binding.scope, made.name, subject, &missing)
				}
			}
		}
		for _, document := range made.documents {
			key := document.Key()
			if bound[key] {
				continue
			}
			for _, r := range roles[key] {
				collect(&unbound, r, document.Object.GetName(), made.name, key, &missing)
			}
		}
	}
	return found, unbound, missing, nil
}

func collect(into *ordered[right], r rule, scope, when, owner string, missing *[]string) {
	if r.why == "" {
		*missing = append(*missing, fmt.Sprintf("%s, case %s: %s %s", owner, when, strings.Join(r.Verbs, ", "), r.what()))
	}
	to := into.at(scope + "|" + r.what() + "|" + strings.Join(r.Verbs, ",") + "|" + r.why)
	to.rule, to.scope = r, scope
	to.when.add(when)
}
