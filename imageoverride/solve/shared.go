package solve

import (
	"reflect"

	"gitops-runtime/internal/helmvalues"
)

// dropDivided omits options that change a leaf of a list that is not the same in all scenarios: Helm replaces lists as a whole, so that one scenario's
// list would override those of the others.
func (p *problem) dropDivided(all []option) []option {
	var kept []option
next:
	for _, o := range all {
		for key, wanted := range o {
			if !wanted.keep && p.isDivided(p.variables[key].Path) {
				continue next
			}
		}
		kept = append(kept, o)
	}
	return kept
}

// isDivided reports whether a path contains a list that differs between scenarios.
func (p *problem) isDivided(path helmvalues.Path) bool {
	at := 0
	for at < len(path) && path[at].Key != "" {
		at++
	}
	if at == len(path) {
		return false
	}
	var first any
	known := false
	for _, scenario := range p.scenarios {
		list, found := helmvalues.Get(scenario.Base.Values, path[:at])
		switch {
		case !found:
		case !known:
			first, known = list, true
		case !reflect.DeepEqual(first, list):
			return true
		}
	}
	return false
}
