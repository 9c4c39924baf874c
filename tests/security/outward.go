package security

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"gitops-runtime/tests/golden"
)

// target is a target outside the pods' network that policies allow, and the pods that it is allowed for.
type target struct {
	ports     []string
	workloads []string
}

// outward returns the external targets of all policies, by reason. Rules without a reason are listed in missing.
func outward(all []release) (found ordered[target], missing []string, err error) {
	for _, made := range all {
		for _, document := range made.documents {
			if document.Object.GetKind() != "NetworkPolicy" {
				continue
			}
			rules, err := egress(document)
			if err != nil {
				return found, nil, err
			}
			for _, rule := range rules {
				if !rule.outward() {
					continue
				}
				if rule.why == "" {
					missing = append(missing, fmt.Sprintf("%s, case %s: ports %s to outside", document.Key(), made.name, strings.Join(rule.numbers(), ", ")))
					continue
				}
				of := found.at(rule.why)
				of.ports = union(of.ports, rule.numbers())
				of.workloads = union(of.workloads, []string{document.Object.GetName()})
			}
		}
	}
	for _, key := range found.keys {
		slices.Sort(found.at(key).workloads)
	}
	return found, missing, nil
}

type egressRule struct {
	To []struct {
		IPBlock any `yaml:"ipBlock"`
	} `yaml:"to"`
	Ports []struct {
		Port     string `yaml:"port"`
		Protocol string `yaml:"protocol"`
	} `yaml:"ports"`
	why string
}

// outward reports whether a rule allows addresses, not only pods.
func (r egressRule) outward() bool {
	for _, peer := range r.To {
		if peer.IPBlock != nil {
			return true
		}
	}
	return len(r.To) == 0
}

func (r egressRule) numbers() []string {
	var numbers []string
	for _, port := range r.Ports {
		text := port.Port
		if port.Protocol != "TCP" {
			text += "/" + port.Protocol
		}
		numbers = append(numbers, text)
	}
	return numbers
}

func egress(document golden.Document) ([]egressRule, error) {
	var node struct {
		Spec struct {
			Egress yaml.Node `yaml:"egress"`
		} `yaml:"spec"`
	}
	if err := yaml.Unmarshal([]byte(document.Text), &node); err != nil {
		return nil, fmt.Errorf("%s: %w", document.Key(), err)
	}
	return commented(document, node.Spec.Egress, func(read *egressRule, why string) { read.why = why })
}
