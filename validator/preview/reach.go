package preview

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gitops-runtime/internal/facts"
	"gitops-runtime/internal/network"
)

// reach lists the access that accounts and pods gain and lose.
func (c *comparison) reach() Section {
	section := Section{Name: "reach", Title: "Who can reach what"}
	section.Items = append(c.rights(), c.secrets()...)
	connections, err := c.connections()
	if err != nil {
		section.Unknown = append(section.Unknown, "Which connections open and close is not known: "+err.Error()+".")
	}
	section.Items = append(section.Items, connections...)
	return section
}

const rightsOf = "RIGHTS "

// rights lists the permissions that accounts gain and lose. A permission that a wildcard of the other side covers is neither.
func (c *comparison) rights() []Item {
	var items []Item
	for _, name := range facts.Union(c.before.facts, c.after.facts) {
		account, ok := strings.CutPrefix(name, rightsOf)
		if !ok {
			continue
		}
		account = strings.TrimPrefix(account, "/") // of the release's namespace
		before, after := slices.Collect(maps.Keys(c.before.facts[name])), slices.Collect(maps.Keys(c.after.facts[name]))
		if gained := uncovered(after, before); len(gained) > 0 {
			items = append(items, Item{Change: "gains", Object: account, Message: grouped(gained), Alarms: []string{"rights"}, Details: c.whyRights(name, gained)})
		}
		if lost := uncovered(before, after); len(lost) > 0 {
			items = append(items, Item{Change: "loses", Object: account, Message: grouped(lost)})
		}
	}
	return items
}

// whyRights returns the causes of permissions, each once.
func (c *comparison) whyRights(account string, permissions []string) []Detail {
	var found []Detail
	for _, permission := range permissions {
		cause := c.Causes.of(facts.Change{Object: account, Path: permission})
		if cause != "" && !slices.ContainsFunc(found, func(d Detail) bool { return d.Cause == cause }) {
			found = append(found, Detail{Path: permission, Cause: cause})
		}
	}
	return found
}

// uncovered returns the permissions, "scope group/resource verb", that none of others grants.
func uncovered(permissions, others []string) []string {
	var found []string
	for _, one := range slices.Sorted(slices.Values(permissions)) {
		if !slices.ContainsFunc(others, func(other string) bool { return grants(other, one) }) {
			found = append(found, one)
		}
	}
	return found
}

func grants(other, one string) bool {
	if other == one {
		return true
	}
	have, want := strings.Fields(other), strings.Fields(one)
	if len(have) != 3 || len(want) != 3 { // a URL, or a role of the cluster
		return false
	}
	group, resource, _ := strings.Cut(have[1], "/")
	of, what, _ := strings.Cut(want[1], "/")
	unnamed, _, _ := strings.Cut(what, "#")
	return (have[0] == want[0] || have[0] == "cluster") && (group == "*" || group == of) &&
		(resource == "*" || resource == what || resource == unnamed) && (have[2] == "*" || have[2] == want[2])
}

// grouped returns permissions as "secrets/get in namespace x"; the verbs of a resource are together.
func grouped(permissions []string) string {
	verbs := map[string][]string{}
	for _, one := range permissions {
		scope, rest, _ := strings.Cut(one, " ")
		what, verb := rest, ""
		if at := strings.LastIndex(rest, " "); at > 0 {
			what, verb = rest[:at], "/"+rest[at+1:]
		}
		where := "in namespace " + scope
		switch scope {
		case "cluster":
			where = "in the whole cluster"
		case "":
			where = "in the namespace of the release"
		}
		key := strings.TrimPrefix(what, "core/") + "\n" + where
		verbs[key] = append(verbs[key], strings.TrimPrefix(verb, "/"))
	}
	places := map[string][]string{}
	for _, key := range slices.Sorted(maps.Keys(verbs)) {
		what, where, _ := strings.Cut(key, "\n")
		places[where] = append(places[where], strings.TrimSuffix(what+"/"+strings.Join(verbs[key], ","), "/"))
	}
	var parts []string
	for _, where := range slices.Sorted(maps.Keys(places)) {
		parts = append(parts, list(places[where])+" "+where)
	}
	return strings.Join(parts, "; ")
}

// secrets lists the Secrets that objects begin and stop to read.
func (c *comparison) secrets() []Item {
	var items []Item
	for _, name := range facts.Union(c.before.named, c.after.named) {
		before, after := c.before.secretsOf(name), c.after.secretsOf(name)
		for _, one := range []struct {
			change       string
			names, other []string
			alarms       []string
		}{{"reads", after, before, []string{"secrets"}}, {"stops reading", before, after, nil}} {
			names := slices.DeleteFunc(slices.Clone(one.names), func(each string) bool { return slices.Contains(one.other, each) })
			if len(names) > 0 {
				items = append(items, Item{Change: one.change, Object: name, Message: "Secret " + list(names), Alarms: one.alarms})
			}
		}
	}
	return items
}

func (s side) secretsOf(name string) []string {
	of := s.named[name]
	if of == nil || of.kind == "Secret" || strings.Contains(of.kind, "Role") || of.kind == "ServiceAccount" {
		return nil
	}
	return facts.Secrets(of.tree)
}

// connections lists the ports of pods that more, or fewer, can connect to, and what pods can connect to outside of the release.
func (c *comparison) connections() ([]Item, error) {
	before, err := c.before.network(c.Namespace)
	if err != nil {
		return nil, err
	}
	after, err := c.after.network(c.Namespace)
	if err != nil {
		return nil, err
	}
	var items []Item
	for _, at := range facts.Union(before, after) {
		pod, _, _ := strings.Cut(at, " ")
		if c.before.named[pod] == nil || c.after.named[pod] == nil {
			continue // a workload that comes or goes
		}
		var opened, closed []string
		for _, from := range facts.Union(before[at], after[at]) {
			peer, isPod := strings.CutPrefix(from, "from ")
			isPod = isPod && strings.Contains(peer, "/")
			switch {
			case before[at][from] == after[at][from]:
			case after[at][from] && isPod && c.before.named[peer] == nil && after[at]["from "+anyPod]: // a new pod, as any other
			case after[at][from]:
				opened = append(opened, from)
			case isPod && c.after.named[peer] == nil: // the peer is gone
			default:
				closed = append(closed, from)
			}
		}
		if len(opened) > 0 {
			items = append(items, Item{Change: "opens", Object: at, Message: list(opened), Alarms: []string{"connections"}})
		}
		if len(closed) > 0 {
			items = append(items, Item{Change: "closes", Object: at, Message: list(closed)})
		}
	}
	return items, nil
}

// anyPod is a pod that is not of the release.
const anyPod = "any pod of the namespace"

// network returns who can connect, by "Kind/name port N", and by "Kind/name to the outside" whether it can.
func (s side) network(namespace string) (map[string]map[string]bool, error) {
	objects := s.unstructured()
	policies, err := network.Read(objects, namespace)
	if err != nil {
		return nil, err
	}
	pods, err := network.Pods(objects, namespace)
	if err != nil {
		return nil, err
	}
	others := []network.Endpoint{
		{Name: anyPod, Namespace: namespace, Labels: map[string]string{"preview.invalid/other": "pod"}},
		{Name: "any pod of other namespaces", Namespace: "preview-invalid", Labels: map[string]string{"preview.invalid/other": "pod"}},
		network.Outside("addresses outside of the cluster"),
	}
	open := map[string]map[string]bool{}
	add := func(at, from string, allowed bool) {
		if open[at] == nil {
			open[at] = map[string]bool{}
		}
		if allowed {
			open[at][from] = true
		}
	}
	for name, pod := range pods {
		for port, number := range pod.Ports {
			at := fmt.Sprintf("%s port %d", name, number)
			if port != "" {
				at += " (" + port + ")"
			}
			for _, from := range others {
				add(at, "from "+from.Name, policies.Allow(from, pod, number))
			}
			for peer, from := range pods {
				add(at, "from "+peer, peer != name && policies.Allow(from, pod, number))
			}
		}
		add(name+" outward", "to addresses outside of the cluster, port 443", policies.Allow(pod, network.Outside("outside"), 443))
		add(name+" outward", "to the metadata of the cloud, port 80", policies.Allow(pod, network.Metadata(), 80))
	}
	return open, nil
}
