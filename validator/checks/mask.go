package checks

import (
	"strings"

	"gitops-runtime/validator/engine"
)

// leastSecret is the length below which a credential is not masked: such a text would occur in other words, too.
const leastSecret = 6

// mask replaces the run's own credentials in the findings of a check: a server may return them in a name or an error.
func (d *state) mask(outcome engine.Outcome) engine.Outcome {
	known := d.facts()
	var pairs []string
	for _, secret := range []string{known.token, known.gitPassword} {
		if len(secret) >= leastSecret {
			pairs = append(pairs, secret, "***")
		}
	}
	if len(pairs) == 0 {
		return outcome
	}
	replacer := strings.NewReplacer(pairs...)
	for i := range outcome.Findings {
		finding := &outcome.Findings[i]
		finding.Message, finding.Fix = replacer.Replace(finding.Message), replacer.Replace(finding.Fix)
	}
	outcome.Skip, outcome.Lacks = replacer.Replace(outcome.Skip), replacer.Replace(outcome.Lacks)
	return outcome
}
