package facts

import (
	"maps"
	"slices"
	"strings"
)

// rules records each permission of a role with its subjects. A permission without subjects is "unbound".
func (m *maker) rules(rules []any) {
	who := m.around.bound[m.object].String()
	for _, item := range rules {
		rule := asFields(item)
		for _, verb := range rule.texts("verbs") {
			for _, url := range rule.texts("nonResourceURLs") {
				m.add("rule", "nonResourceURL "+url+":"+verb, who)
			}
			for _, group := range rule.texts("apiGroups") {
				if group == "" {
					group = "core"
				}
				for _, resource := range rule.texts("resources") {
					names := rule.texts("resourceNames")
					if len(names) == 0 {
						m.add("rule", group+"/"+resource+":"+verb, who)
					}
					for _, name := range names {
						m.add("rule", group+"/"+resource+"#"+name+":"+verb, who)
					}
				}
			}
		}
	}
}

func (m *maker) binding(object fields) {
	var subjects []string
	for _, subject := range object.subs("subjects") {
		subjects = append(subjects, subject.or("namespace", m.release.Namespace)+"/"+subject.text("name"))
	}
	slices.Sort(subjects)
	role := object.sub("roleRef")
	m.add("rule", "binds "+role.text("kind")+"/"+role.text("name"), "sa="+strings.Join(subjects, ","))
}

// holders are the accounts that a role is bound to, each with the scope of its binding.
type holders struct{ scopes, accounts map[string]bool }

// String returns "unbound" for a role without subjects.
func (h *holders) String() string {
	if h == nil {
		return "unbound"
	}
	return "scope=" + strings.Join(slices.Sorted(maps.Keys(h.scopes)), "+") + " sa=" + strings.Join(slices.Sorted(maps.Keys(h.accounts)), ",")
}
