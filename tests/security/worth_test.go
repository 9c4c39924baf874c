package security

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func one(group, resource, verb string, names ...string) rule {
	return rule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: []string{verb}, ResourceNames: names}
}

// proofs returns the smallest rule that grants each escalation.
func proofs() map[string]rule {
	return map[string]rule{
		"everything":           one("*", "*", "*"),
		"impersonate":          one("", "users", "impersonate"),
		"escalate":             one("rbac.authorization.k8s.io", "clusterroles", "escalate"),
		"bind":                 one("rbac.authorization.k8s.io", "roles", "bind"),
		"tokens":               one("", "serviceaccounts/token", "create"),
		"kubelet":              one("", "nodes/proxy", "get"),
		"webhooks":             one("admissionregistration.k8s.io", "mutatingwebhookconfigurations", "patch"),
		"API services":         one("apiregistration.k8s.io", "apiservices", "create"),
		"certificates":         one("certificates.k8s.io", "certificatesigningrequests/approval", "update"),
		"read secrets":         one("", "secrets", "list"),
		"write secrets":        one("", "secrets", "create"),
		"pods":                 one("", "pods", "create"),
		"workloads":            one("apps", "deployments", "patch"),
		"workflows":            one("argoproj.io", "workflows", "create"),
		"workflow templates":   one("argoproj.io", "workflowtemplates", "update"),
		"event sources":        one("argoproj.io", "sensors", "create"),
		"rollouts":             one("argoproj.io", "rollouts", "patch"),
		"analysis":             one("argoproj.io", "analysisruns", "create"),
		"exec":                 one("", "pods/exec", "create"),
		"ephemeral containers": one("", "pods/ephemeralcontainers", "patch"),
		"applications":         one("argoproj.io", "applications", "create"),
		"projects":             one("argoproj.io", "appprojects", "update"),
		"write settings":       one("", "configmaps", "update"),
		"volumes":              one("", "persistentvolumes", "create"),
		"definitions":          one("apiextensions.k8s.io", "customresourcedefinitions", "patch"),
		"namespaces":           one("", "namespaces", "patch"),
		"nodes":                one("", "nodes", "update"),
		"traffic":              one("", "services", "create"),
		"network policies":     one("networking.k8s.io", "networkpolicies", "delete"),
		"logs":                 one("", "pods/log", "get"),
		"deletion":             one("", "pods", "delete"),
		"read settings":        one("", "configmaps", "watch"),
	}
}

// found returns the names of the escalations that a rule grants.
func found(r rule) []string {
	var names []string
	for _, e := range escalations() {
		if granted, _ := e.grants(r); granted {
			names = append(names, e.name)
		}
	}
	return names
}

// Every known escalation is found in the smallest rule that contains it, in no smaller one, and in a rule for everything.
func TestSecurityReview4EveryEscalationIsProven(t *testing.T) {
	t.Parallel()
	all := found(proofs()["everything"])
	assert.Len(t, escalations(), len(proofs()))
	for _, e := range escalations() {
		proof, ok := proofs()[e.name]
		require.True(t, ok, "no rule proves the escalation %q", e.name)
		assert.NotEmpty(t, e.worth, e.name)
		assert.Contains(t, all, e.name)
		if e.name == "everything" {
			continue
		}
		assert.Equal(t, []string{e.name}, found(proof), e.name)
		for what, less := range map[string]rule{
			"another group":    {APIGroups: []string{"example.com"}, Resources: proof.Resources, Verbs: proof.Verbs},
			"another resource": {APIGroups: proof.APIGroups, Resources: []string{"things"}, Verbs: proof.Verbs},
			"a harmless verb":  {APIGroups: proof.APIGroups, Resources: proof.Resources, Verbs: []string{"deletecollection-not"}},
		} {
			assert.Empty(t, found(less), "%s: %s", e.name, what)
		}
	}
}

func TestRulesForNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name             string
		rule             rule
		granted, limited bool
	}{
		{"read secrets", one("", "secrets", "get", "argocd-secret"), true, false},
		{"read secrets", one("", "secrets", "get", "a"), true, true},
		{"write secrets", one("", "secrets", "create", "a"), false, false},
		{"write secrets", one("", "secrets", "patch", "a"), true, true},
		{"webhooks", one("admissionregistration.k8s.io", "validatingwebhookconfigurations", "update", "a"), true, false},
		{"tokens", one("", "serviceaccounts/token", "create", "a"), true, true},
		{"exec", one("", "*/exec", "create"), true, false},
		{"applications", one("*", "applications", "patch"), true, false},
	} {
		for _, e := range escalations() {
			if e.name == test.name {
				granted, limited := e.grants(test.rule)
				assert.Equal(t, test.granted, granted, "%+v", test)
				assert.Equal(t, test.limited, limited, "%+v", test)
			}
		}
	}
}

// owned returns accounts with one permission each, in the case "tunnel".
func owned(rights map[string]right) (owners ordered[account]) {
	for name, r := range rights {
		of := owners.at(name)
		of.when.add("tunnel")
		r.when.add("tunnel")
		*of.rights.at("r") = r
		of.rights.keys = []string{"r"}
	}
	return owners
}

// The worst token comes first. A permission in the namespace is critical if the application controller is there and has all permissions.
func TestTokensAreSortedByTheirWorth(t *testing.T) {
	t.Parallel()
	rights := map[string]right{
		"controller": {rule: one("*", "*", "*"), scope: "cluster"},
		"reader":     {rule: one("", "secrets", "get"), scope: "namespace"},
		"hook":       {rule: one("", "secrets", "get", "a"), scope: "namespace"},
		"logs":       {rule: one("", "pods/log", "get"), scope: "namespace"},
		"nothing":    {rule: one("", "events", "create"), scope: "namespace"},
	}
	var page bytes.Buffer
	writeTokens(&page, occasions{"tunnel"}, owned(rights))
	assert.Contains(t, page.String(), `| controller | critical | critical: everything |  |  |
| reader | critical |  | critical: read secrets |  |
| hook | medium |  | medium: get secrets named a |  |
| logs | low |  | low: logs |  |
| nothing | none |  |  |  |
`)
	delete(rights, "controller")
	page.Reset()
	writeTokens(&page, occasions{"tunnel"}, owned(rights))
	assert.Contains(t, page.String(), "| reader | high |  | high: read secrets |  |")
}

// Permissions of only some of an account's cases list these cases; a single namespace has its own table.
func TestTokensListTheirCases(t *testing.T) {
	t.Parallel()
	var owners ordered[account]
	of := owners.at("controller")
	of.when = occasions{"tunnel", "ha", singleNamespace}
	*of.rights.at("a") = right{rule: one("*", "*", "*"), scope: "cluster", when: occasions{"tunnel", "ha"}}
	*of.rights.at("b") = right{rule: one("", "pods", "create"), scope: "namespace", when: occasions{"ha"}}
	*of.rights.at("c") = right{rule: one("", "secrets", "get"), scope: "namespace", when: occasions{singleNamespace}}
	var page bytes.Buffer
	writeTokens(&page, of.when, owners)
	assert.Contains(t, page.String(), "| controller | critical | critical: everything | critical: pods (only ha) |  |\n\nWith `global.runtime.singleNamespace`:")
	assert.Contains(t, page.String(), "| controller | high |  | high: read secrets |  |\n")
}

// A path of the API is not a resource.
func TestPathsAreNotEscalations(t *testing.T) {
	t.Parallel()
	assert.Empty(t, found(rule{NonResourceURLs: []string{"*"}, Verbs: []string{"*"}}))
}
