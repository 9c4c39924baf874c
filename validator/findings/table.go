package findings

import "sort"

// Definition is one row of the table of all findings.
type Definition struct {
	// Code is stable: the three letters of the group, the hundred of the check and the number of the finding within it. The hundred itself ("RUN200")
	// stands for the check, and for a request of the check that got no response.
	Code string
	// Level is the usual weight; some findings are lighter on an install.
	Level Level
	// Sentence is a fmt format, one sentence with its full stop.
	Sentence string
	// Fix is how to fix it, as a command or a values line if possible; {value} stands for the path of the value.
	Fix string
	// Why is read by `explain` and the generated page.
	Why string
}

// Table returns every definition, in the order of the codes.
func Table() []Definition {
	groups := [][]Definition{
		schemaTable(), runtimeTable(), tokenTable(), accountTable(), modeTable(),
		gitTable(), certificateTable(), clusterTable(),
	}
	var all []Definition
	for _, group := range groups {
		all = append(all, group...)
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Code < all[j].Code })
	return all
}

// Lookup finds the definition of a code.
func Lookup(code string) (Definition, bool) {
	for _, definition := range Table() {
		if definition.Code == code {
			return definition, true
		}
	}
	return Definition{}, false
}

// unanswered is the row of a check itself: its code means that a request got no response, and the sentence names what was missing.
func unanswered(code, why string) Definition {
	again := "run it again once that is fixed; --skip " + code + ", in the chart installer.skipChecks, leaves it out"
	return Definition{Code: code, Level: Inconclusive, Sentence: "%s", Fix: again, Why: why}
}
