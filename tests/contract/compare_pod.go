package contract

import (
	"regexp"
	"strings"
)

var onPort = regexp.MustCompile(` on \S+$`)

func (c *Comparison) image(p place) Judgment {
	switch {
	case !p.exists:
		return Judgment{Outcome: Missing}
	case repository(p.have) == repository(p.value):
		return Judgment{Satisfied, p.have}
	}
	return Judgment{Different, p.have}
}

// port accepts another name for the same number, since the contract's Services have their own port names.
func (c *Comparison) port(p place) Judgment {
	if p.exists {
		return Judgment{}
	}
	all, _ := c.look(p.at.Object)
	for fact, value := range all {
		if fact.Aspect == "port" && fact.Container == p.at.Container && value == p.value {
			return Judgment{Equivalent, "named " + fact.Key}
		}
	}
	return Judgment{}
}

// servicePort accepts another port of the pods behind a Service, unless they run a closed program.
func (c *Comparison) servicePort(p place) Judgment {
	if !p.exists || strings.HasPrefix(p.want.Key, "(") {
		return Judgment{}
	}
	want, _, _ := strings.Cut(p.value, " target=")
	have, _, _ := strings.Cut(p.have, " target=")
	if want == have && !c.contract.closedService(p.want.Name) {
		return Judgment{Equivalent, p.have}
	}
	return Judgment{Different, p.have}
}

// probe accepts another port, unless the program is closed.
func (c *Comparison) probe(p place) Judgment {
	if p.exists && onPort.ReplaceAllString(p.have, "") == onPort.ReplaceAllString(p.value, "") && !c.contract.isClosed(p.want.Object, p.want.Container) {
		return Judgment{Equivalent, p.have}
	}
	return Judgment{}
}

// arg accepts a word at another position of the command line; a flag's value must belong to the same flag.
func (c *Comparison) arg(p place) Judgment {
	if p.value == "(script)" && p.exists {
		if strings.HasPrefix(p.have, "(script") {
			return Judgment{Equivalent, p.have}
		}
		return Judgment{Ignored, p.have}
	}
	if strings.HasPrefix(p.want.Key, "-") {
		return Judgment{}
	}
	all, _ := c.look(p.at.Object)
	for fact, value := range all {
		if fact.Aspect == "arg" && fact.Container == p.at.Container && value == p.value && !strings.HasPrefix(fact.Key, "-") {
			return Judgment{Equivalent, "at another place"}
		}
	}
	return Judgment{}
}

// restriction accepts a missing field whose default is false or 0. This does not apply to privilege escalation.
func (c *Comparison) restriction(p place) Judgment {
	if !p.exists && (p.value == "false" || p.value == "0") && p.want.Key != "allowPrivilegeEscalation" {
		return Judgment{Outcome: Satisfied}
	}
	return Judgment{}
}
