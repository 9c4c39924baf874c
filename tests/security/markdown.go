package security

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

func writeHead(out *bytes.Buffer, every occasions) {
	fmt.Fprintf(out, `# For the security reader

<!-- Made by make generate; do not edit. -->

What the chart %[1]sgitops-runtime%[1]s may do, listens at, reaches and keeps secret, read off its rendered objects. The reason of a rule stands beside
it in the template and above it in %[1]shelm get manifest%[1]s. Rendered were: %[2]s (files in %[1]stests/golden%[1]s); the column "cases" says
which of them have a line, and is empty where all have it.

Every container passes the Pod Security level %[1]srestricted%[1]s: no root, no added capability, no writable root file system, the runtime's default
seccomp profile. No secret stands in a ConfigMap, an argument, an annotation or a log line. A token of the API is mounted only where there are rules, or where it is said below.

`, "`", strings.Join(every, ", "))
}

func writeAccounts(out *bytes.Buffer, every occasions, owners ordered[account], unbound ordered[right]) {
	out.WriteString("## Service accounts and their rights\n\nScope: the release's namespace, another one by name, or the whole cluster.\n")
	for _, name := range owners.sorted() {
		of := owners.at(name)
		fmt.Fprintf(out, "\n### %s\n\n", name)
		if only := of.when.of(every); only != "" {
			fmt.Fprintf(out, "In the cases: %s.\n\n", only)
		}
		if len(of.rights.keys) == 0 {
			out.WriteString(map[bool]string{
				false: "No rights; no token is mounted.\n",
				true:  "No rights; the token is mounted, without which the program does not start.\n",
			}[of.token])
			continue
		}
		out.WriteString("| scope | resources | verbs | why | cases |\n| --- | --- | --- | --- | --- |\n")
		for _, key := range of.rights.keys {
			r := of.rights.at(key)
			row(out, r.scope, r.what(), strings.Join(r.Verbs, ", "), r.why, r.when.of(of.when))
		}
	}
	out.WriteString("\n### Roles that nobody has by the chart\n\n| role | resources | verbs | why | cases |\n| --- | --- | --- | --- | --- |\n")
	for _, key := range unbound.keys {
		r := unbound.at(key)
		row(out, r.scope, r.what(), strings.Join(r.Verbs, ", "), r.why, r.when.of(every))
	}
}

func writePorts(out *bytes.Buffer, every occasions, all []release) {
	found, workloads := ports(all)
	out.WriteString(`
## Ports

NetworkPolicies restrict ingress by default: a port is reached by those in the fourth column and by nobody else. With
` + "`global.networkPolicy.create=false`" + `, or where the cluster's network does not enforce policies, every pod of the cluster reaches it. Probes come from
the node and are always allowed. Nothing listens on a port of the node.

| workload | port | Services | reached by | cases |
| --- | --- | --- | --- | --- |
`)
	for _, key := range found.sorted() {
		p := found.at(key)
		who := strings.Join(p.reached, ", ")
		if who == "" {
			who = "nobody"
		}
		only := p.when.of(*workloads.at(p.workload))
		if only == "" {
			only = p.when.of(every)
		}
		row(out, p.workload, fmt.Sprintf("%s %d", p.name, p.number), strings.Join(p.services, ", "), who, only)
	}
}

func writeTargets(out *bytes.Buffer, targets ordered[target]) {
	out.WriteString(`
## What is reached outside

With ` + "`global.networkPolicy.restrictEgress`" + ` (off by default) nothing else leaves the pods of the runtime, except to their peers in the cluster. ` + "`global.networkPolicy.ports`" + `
replaces the ports of a line, ` + "`global.networkPolicy.extraEgress`" + ` adds rules. Pods of users' workflows and event sources are theirs: no policy selects them.

| why | ports | policies |
| --- | --- | --- |
`)
	for _, why := range targets.sorted() {
		of := targets.at(why)
		row(out, why, strings.Join(of.ports, ", "), strings.Join(of.workloads, ", "))
	}
}

func writeSecrets(out *bytes.Buffer, named ordered[secret], held map[string]holds, owners ordered[account]) {
	out.WriteString("\n## Secrets\n\n| Secret | holds | made by | mounted or read as environment by |\n| --- | --- | --- | --- |\n")
	for _, name := range named.sorted() {
		row(out, name, held[name].Holds, held[name].By, strings.Join(named.at(name).readers, ", "))
	}
	out.WriteString("\nBesides, by their rights, as the tables above argue:\n\n| service account | scope | Secrets |\n| --- | --- | --- |\n")
	for _, name := range owners.sorted() {
		of := owners.at(name)
		seen := map[string]bool{}
		for _, key := range of.rights.keys {
			r := of.rights.at(key)
			if !r.reads("secrets") {
				continue
			}
			which := "all"
			if len(r.ResourceNames) > 0 {
				which = strings.Join(slices.Sorted(slices.Values(r.ResourceNames)), ", ")
			}
			if line := r.scope + which; !seen[line] {
				seen[line] = true
				row(out, name, r.scope, which)
			}
		}
	}
}

// row writes a row of a table.
func row(out *bytes.Buffer, cells ...string) {
	for _, cell := range cells {
		fmt.Fprintf(out, "| %s ", strings.NewReplacer("|", "\\|", "*", "\\*", "<", "\\<").Replace(cell))
	}
	out.WriteString("|\n")
}
