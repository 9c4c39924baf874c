package contract

import (
	"maps"
	"strings"

	"gitops-runtime/tests/contract/facts"
)

// Comparison compares the facts of a scenario of the contract with those of a render.
type Comparison struct {
	contract *scenario
	have     *facts.Set
	kinds    map[string][]string               // by name of the object
	images   map[facts.Object]map[string]image // by container
	grants   map[string]map[right]scopes       // by account
	accounts map[string]string                 // this chart's by the contract's
}

// image is the image of a container and the container's order, init or main.
type image struct{ order, name string }

// Compare prepares the comparison of a scenario with a render of it.
func Compare(of *scenario, have *facts.Set) *Comparison {
	c := &Comparison{contract: of, have: have, kinds: map[string][]string{}, images: map[facts.Object]map[string]image{}}
	for object, all := range have.Objects() {
		c.kinds[object.Name] = append(c.kinds[object.Name], object.Kind)
		if facts.IsWorkload(object.Kind) {
			c.images[object] = imagesOf(all)[object]
		}
	}
	c.grant()
	c.rename()
	return c
}

// With returns the comparison with another render, in which the facts of one object differ.
func (c *Comparison) With(have *facts.Set, changed facts.Object) *Comparison {
	made := *c
	made.have = have
	switch {
	case facts.IsWorkload(changed.Kind):
		made.images = maps.Clone(c.images)
		made.images[changed] = imagesOf(have.Objects()[changed])[changed]
		made.rename()
	case group(changed.Kind) != "":
		made.grant()
	}
	return &made
}

// rename finds this chart's account for each account of the contract.
func (c *Comparison) rename() {
	c.accounts = map[string]string{}
	for _, each := range c.contract.accounts {
		if at, ok := c.object(each.of); ok && c.accounts[each.name] == "" {
			if account, ok := c.have.Get(facts.Fact{Object: at, Container: facts.None, Aspect: "serviceAccount", Key: "name"}); ok {
				c.accounts[each.name] = account
			}
		}
	}
}

func imagesOf(all facts.Facts) map[facts.Object]map[string]image {
	found := map[facts.Object]map[string]image{}
	for fact, value := range all {
		if fact.Aspect == "image" {
			if found[fact.Object] == nil {
				found[fact.Object] = map[string]image{}
			}
			found[fact.Object][fact.Container] = image{order: fact.Key, name: value}
		}
	}
	return found
}

// object returns this chart's counterpart of an object: the same, or one of an equivalent kind.
func (c *Comparison) object(of facts.Object) (facts.Object, bool) {
	for _, alike := range []func(string) bool{
		func(kind string) bool { return kind == of.Kind },
		func(kind string) bool { return group(kind) != "" && group(kind) == group(of.Kind) },
	} {
		for _, kind := range c.kinds[of.Name] {
			if alike(kind) {
				return facts.Object{Kind: kind, Name: of.Name}, true
			}
		}
	}
	return facts.Object{}, false
}

// group returns a common name for kinds that differ only in scope, or in how they run pods.
func group(kind string) string {
	switch kind {
	case "Role", "ClusterRole":
		return "role"
	case "RoleBinding", "ClusterRoleBinding":
		return "binding"
	}
	if facts.IsWorkload(kind) {
		return "workload"
	}
	return ""
}

// container returns this chart's container that runs the same program as the contract's container of that name.
func (c *Comparison) container(theirs, ours facts.Object, name string) (string, bool) {
	mine := c.images[ours]
	if _, ok := mine[name]; ok || name == facts.None {
		return name, true
	}
	want, ok := c.contract.images[theirs][name]
	if !ok {
		return "", false
	}
	var same, order []string
	for container, has := range mine {
		if has.order == want.order {
			order = append(order, container)
			if repository(has.name) == repository(want.name) {
				same = append(same, container)
			}
		}
	}
	if len(same) == 1 {
		return same[0], true
	}
	alone := 0
	for _, each := range c.contract.images[theirs] {
		if each.order == want.order {
			alone++
		}
	}
	if len(order) == 1 && alone == 1 {
		return order[0], true
	}
	return "", false
}

// place is the location of a fact of the contract in this chart.
type place struct {
	want   facts.Fact
	value  string
	at     facts.Fact
	have   string
	exists bool
}

// Judge judges a fact of the contract.
func (c *Comparison) Judge(fact facts.Fact, want string) Judgment {
	if fact.Aspect == "resources" || strings.HasSuffix(fact.Key, " timing") || fact.Aspect == "arg" && strings.HasPrefix(fact.Key, "script ") {
		return Judgment{Outcome: Ignored}
	}
	if fact.Aspect == "rule" {
		return c.rule(fact, want)
	}
	if group(fact.Kind) == "role" || group(fact.Kind) == "binding" {
		return Judgment{Outcome: Ignored} // only the total permissions of an account are compared
	}
	at, ok := c.object(fact.Object)
	if !ok {
		return Judgment{Outcome: NoObject}
	}
	container, ok := c.container(fact.Object, at, fact.Container)
	if !ok {
		return Judgment{Missing, "no such container"}
	}
	p := place{want: fact, value: want, at: facts.Fact{Object: at, Container: container, Aspect: fact.Aspect, Key: fact.Key}}
	p.have, p.exists = c.have.Get(p.at)
	if fact.Aspect == "object" {
		return sameKind(p)
	}
	if p.exists && p.have == want {
		return Judgment{Satisfied, p.have}
	}
	if found := c.otherWay(p); found.Outcome != "" {
		return found
	}
	return otherwise(p)
}

// otherWay judges a fact that is not literally the same by the rule of its aspect. If the rule has no verdict, otherwise judges it.
func (c *Comparison) otherWay(p place) Judgment {
	switch p.want.Aspect {
	case "env":
		return c.env(p)
	case "image":
		return c.image(p)
	case "port":
		return c.port(p)
	case "servicePort":
		return c.servicePort(p)
	case "probe":
		return c.probe(p)
	case "mount":
		return c.mount(p)
	case "arg":
		return c.arg(p)
	case "data":
		return c.data(p)
	case "crd":
		return c.definition(p)
	case "securityContext":
		return c.restriction(p)
	}
	return Judgment{}
}

func sameKind(p place) Judgment {
	switch {
	case p.at.Object == p.want.Object && p.have == p.value:
		return Judgment{Satisfied, p.have}
	case p.at.Object == p.want.Object:
		return Judgment{Different, p.have}
	}
	return Judgment{Different, p.at.Object.String()}
}

// otherwise judges a fact that no rule of its aspect covers.
func otherwise(p place) Judgment {
	switch {
	case !p.exists:
		return Judgment{Outcome: Missing}
	case p.want.Aspect == "data" && isVersion(p.want.Key) && version.MatchString(p.have):
		return Judgment{Satisfied, p.have}
	case plain(p.have) == plain(p.value):
		return Judgment{Equivalent, p.have}
	}
	return Judgment{Different, p.have}
}
