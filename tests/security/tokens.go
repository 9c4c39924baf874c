package security

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// singleNamespace is the case without permissions outside the release's namespace.
const singleNamespace = "single-namespace"

// worth is one use of a token, in a scope.
type worth struct {
	severity severity
	scope    string
	name     string // name is that of the escalation, or the permission itself if it is limited to names.
	when     occasions
}

// token contains the uses of a service account's token in some of the cases.
type token struct {
	account string
	worths  []worth
}

// severity returns the severity of the worst use.
func (t token) severity() severity {
	worst := none
	for _, w := range t.worths {
		worst = max(worst, w.severity)
	}
	return worst
}

// weight orders tokens of the same severity: those that can do everything first, then by permissions in the whole cluster, then in a namespace.
func (t token) weight() int {
	weight := 0
	for _, w := range t.worths {
		if w.severity != t.severity() {
			continue
		}
		weight++
		if w.scope == "cluster" {
			weight += 100
		}
		if w.name == escalations()[0].name {
			weight += 10000
		}
	}
	return weight
}

// tokens returns the tokens of the accounts that exist in some of the given cases, the worst first.
func tokens(owners ordered[account], cases occasions) []token {
	deploys := deploying(owners)
	var all []token
	for _, name := range owners.sorted() {
		of := owners.at(name)
		if len(of.when.within(cases)) == 0 {
			continue
		}
		made := token{account: name}
		for _, key := range of.rights.keys {
			r := *of.rights.at(key)
			if r.when = r.when.within(cases); len(r.when) > 0 {
				made.add(r, deploys)
			}
		}
		slices.SortStableFunc(made.worths, func(a, b worth) int { return cmp.Compare(b.severity, a.severity) })
		all = append(all, made)
	}
	slices.SortStableFunc(all, func(a, b token) int {
		return cmp.Or(cmp.Compare(b.severity(), a.severity()), cmp.Compare(b.weight(), a.weight()))
	})
	return all
}

// within returns the given cases that o contains.
func (o occasions) within(cases occasions) occasions {
	return slices.DeleteFunc(slices.Clone(o), func(name string) bool { return !slices.Contains(cases, name) })
}

// deploying returns the cases in which Argo CD's application controller has permissions in the whole cluster.
func deploying(owners ordered[account]) occasions {
	everything := escalations()[0]
	var when occasions
	for _, name := range owners.keys {
		of := owners.at(name)
		for _, key := range of.rights.keys {
			r := of.rights.at(key)
			if granted, _ := everything.grants(r.rule); !granted || r.scope != "cluster" {
				continue
			}
			for _, each := range r.when {
				when.add(each)
			}
		}
	}
	return when
}

// add adds the worth of a permission. A permission to do everything is listed once.
func (t *token) add(r right, deploys occasions) {
	for _, e := range escalations() {
		granted, limited := e.grants(r.rule)
		if !granted {
			continue
		}
		found := worth{scope: r.scope, name: e.name, when: slices.Clone(r.when)}
		for _, each := range r.when {
			found.severity = max(found.severity, e.of(r.scope, slices.Contains(deploys, each)))
		}
		if limited {
			found.severity = min(found.severity, medium)
			found.name = strings.Join(r.Verbs, ", ") + " " + r.what()
		}
		t.merge(found)
		if e.name == escalations()[0].name {
			return
		}
	}
}

// merge adds a use, or only its cases if it exists.
func (t *token) merge(found worth) {
	for i, existing := range t.worths {
		if existing.name == found.name && existing.scope == found.scope {
			t.worths[i].severity = max(existing.severity, found.severity)
			for _, each := range found.when {
				t.worths[i].when.add(each)
			}
			return
		}
	}
	t.worths = append(t.worths, found)
}

// in lists the uses of a token in scopes, as "critical: a, b; high: c", with the cases where they are not all.
func (t token) in(inside func(scope string) bool, of occasions) string {
	var parts []string
	for _, level := range []severity{critical, high, medium, low} {
		var names []string
		for _, w := range t.worths {
			if w.severity != level || !inside(w.scope) {
				continue
			}
			name := w.name
			if only := w.when.of(of); only != "" {
				name += " (" + only + ")"
			}
			names = append(names, name)
		}
		if len(names) > 0 {
			parts = append(parts, level.String()+": "+strings.Join(names, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

func writeTokens(out *bytes.Buffer, every occasions, owners ordered[account]) {
	out.WriteString(`## What each token is worth

What an attacker could do with the token of a service account, worst first, computed from its rules and the known escalations below. Critical means access as
an administrator of the cluster; high means access to code or credentials of a namespace, or to nodes. More permissions are critical in the
namespace of Argo CD than elsewhere: anyone who can read or write Secrets or run pods there can make the application controller deploy anything, and
it has all permissions unless ` + "`argo-cd.controller.clusterRoleRules`" + ` restricts them. An external Argo CD is not considered.
Accounts without permissions have no token mounted, unless the next section notes it.

`)
	wide := slices.DeleteFunc(slices.Clone(every), func(name string) bool { return name == singleNamespace })
	writeTokenTable(out, owners, wide)
	if slices.Contains(every, singleNamespace) {
		out.WriteString("\nWith `global.runtime.singleNamespace`:\n\n")
		writeTokenTable(out, owners, occasions{singleNamespace})
	}
	out.WriteString("\n| escalation | what an attacker with the token can do |\n| --- | --- |\n")
	for _, e := range escalations() {
		row(out, e.name, e.worth)
	}
	fmt.Fprintln(out)
}

func writeTokenTable(out *bytes.Buffer, owners ordered[account], cases occasions) {
	out.WriteString("| service account | worth | in the cluster | in a namespace | cases |\n| --- | --- | --- | --- | --- |\n")
	for _, t := range tokens(owners, cases) {
		when := owners.at(t.account).when.within(cases)
		inCluster := func(scope string) bool { return scope == "cluster" }
		inNamespace := func(scope string) bool { return scope != "cluster" }
		row(out, t.account, t.severity().String(), t.in(inCluster, when), t.in(inNamespace, when), when.of(cases))
	}
}
