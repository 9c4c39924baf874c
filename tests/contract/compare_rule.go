package contract

import (
	"slices"
	"strings"

	"gitops-runtime/tests/contract/facts"
)

// right is one verb on one resource. An empty name stands for all of them, "*" for everything.
type right struct{ group, resource, name, verb string }

// scopes are the scopes in which an account has a permission.
type scopes struct{ cluster, namespace bool }

// parseRight reads the key of a rule's fact. Rules for other things than the API's resources are not permissions.
func parseRight(key string) (right, bool) {
	at := strings.LastIndex(key, ":")
	if at < 0 || strings.Contains(key[:at], " ") {
		return right{}, false
	}
	what, name, _ := strings.Cut(key[:at], "#")
	group, resource, _ := strings.Cut(what, "/")
	return right{group, resource, name, key[at+1:]}, true
}

// parseHolders reads the value of a rule's fact.
func parseHolders(value string) (where scopes, accounts []string, ok bool) {
	scope, who, bound := strings.Cut(strings.TrimPrefix(value, "scope="), " sa=")
	if !bound || !strings.HasPrefix(value, "scope=") {
		return scopes{}, nil, false
	}
	all := strings.Split(scope, "+")
	return scopes{slices.Contains(all, "cluster"), slices.Contains(all, "namespaced")}, strings.Split(who, ","), true
}

// grant collects what each account may do.
func (c *Comparison) grant() {
	c.grants = map[string]map[right]scopes{}
	for object, all := range c.have.Objects() {
		if group(object.Kind) == "role" {
			c.grantRole(all)
		}
	}
}

func (c *Comparison) grantRole(role facts.Facts) {
	for fact, value := range role {
		if fact.Aspect != "rule" {
			continue
		}
		which, ok := parseRight(fact.Key)
		where, accounts, bound := parseHolders(value)
		if !ok || !bound {
			continue
		}
		for _, account := range accounts {
			if c.grants[account] == nil {
				c.grants[account] = map[right]scopes{}
			}
			had := c.grants[account][which]
			c.grants[account][which] = scopes{had.cluster || where.cluster, had.namespace || where.namespace}
		}
	}
}

// rule judges a permission by what the account is allowed to do in total, whichever roles grant it.
func (c *Comparison) rule(fact facts.Fact, value string) Judgment {
	where, accounts, bound := parseHolders(value)
	if strings.HasPrefix(fact.Key, "binds ") || !bound {
		return Judgment{Outcome: Ignored}
	}
	which, _ := parseRight(fact.Key)
	for _, account := range accounts {
		mine := account
		if c.accounts[account] != "" {
			mine = c.accounts[account]
		}
		has := c.allowed(mine, which)
		switch {
		case has.cluster, has.namespace && !where.cluster:
			continue
		case has.namespace:
			return Judgment{Narrower, "in the namespace only"}
		}
		if _, exists := c.look(facts.Object{Kind: "ServiceAccount", Name: mine}); !exists && len(c.grants[mine]) == 0 {
			return Judgment{NoObject, "no service account " + mine}
		}
		return Judgment{Narrower, "not granted to " + mine}
	}
	return Judgment{Satisfied, value}
}

// allowed returns the scopes in which an account has a permission, directly or through a wider one.
func (c *Comparison) allowed(account string, which right) scopes {
	var found scopes
	grants := c.grants[account]
	for _, group := range []string{which.group, "*"} {
		for _, resource := range []string{which.resource, "*"} {
			for _, name := range []string{which.name, ""} {
				for _, verb := range []string{which.verb, "*"} {
					has := grants[right{group, resource, name, verb}]
					found = scopes{found.cluster || has.cluster, found.namespace || has.namespace}
				}
			}
		}
	}
	return found
}
