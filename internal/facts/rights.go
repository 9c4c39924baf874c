package facts

import (
	"maps"
	"strings"
)

// addRights adds the permissions of each account, and those of roles that nothing is bound to.
func addRights(all Facts, documents []*document) {
	roles, bound := map[string][]string{}, map[string]bool{}
	for _, each := range documents {
		if strings.HasSuffix(each.kind, "Role") {
			roles[roleKey(each.kind, each.object, each.namespace)] = permissions(each.content.subs("rules"))
		}
	}
	for _, each := range documents {
		if !strings.HasSuffix(each.kind, "RoleBinding") {
			continue
		}
		scope := each.namespace
		if each.kind == "ClusterRoleBinding" {
			scope = "cluster"
		}
		role := each.content.sub("roleRef")
		key := roleKey(role.text("kind"), role.text("name"), each.namespace)
		bound[key] = true
		granted, rendered := roles[key]
		if !rendered {
			granted = []string{role.text("kind") + "/" + role.text("name")}
		}
		for _, subject := range each.content.subs("subjects") {
			for _, permission := range granted {
				all.Add("RIGHTS "+account(subject, each.namespace), scope+" "+permission, "yes")
			}
		}
	}
	for _, each := range documents {
		key := roleKey(each.kind, each.object, each.namespace)
		if granted, isRole := roles[key]; isRole && !bound[key] {
			all[each.name()] = maps.Clone(all[each.name()]) // the map is that of the parsed document, which other renders share
			for _, permission := range granted {
				all.Add(each.name(), permission, "yes")
			}
		}
	}
}

func roleKey(kind, name, namespace string) string {
	if kind == "ClusterRole" {
		namespace = ""
	}
	return kind + "/" + name + "@" + namespace
}

func account(subject tree, namespace string) string {
	if subject.text("kind") != "ServiceAccount" {
		return subject.text("kind") + ":" + subject.text("name")
	}
	return or(subject.text("namespace"), namespace) + "/" + subject.text("name")
}

// permissions returns "group/resource[#name] verb" for each permission of rules, "url PATH verb" for a URL.
func permissions(rules []tree) []string {
	var all []string
	for _, rule := range rules {
		var what []string
		for _, url := range rule.texts("nonResourceURLs") {
			what = append(what, "url "+url)
		}
		for _, group := range rule.texts("apiGroups") {
			for _, resource := range rule.texts("resources") {
				at := or(group, "core") + "/" + resource
				named := rule.texts("resourceNames")
				for _, name := range named {
					what = append(what, at+"#"+name)
				}
				if len(named) == 0 {
					what = append(what, at)
				}
			}
		}
		for _, each := range what {
			for _, verb := range rule.texts("verbs") {
				all = append(all, each+" "+verb)
			}
		}
	}
	return all
}
