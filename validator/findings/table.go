package findings

import (
	"slices"
	"sort"
	"sync"
)

// Definition is one row of the table of all findings.
type Definition struct {
	// Code is stable: the three letters of the group, the hundreds digit of the check and the number of the finding within it. The code of the check
	// ("RUN200") is also that of the finding that a request of the check got no response.
	Code string
	// Level is the default level; some findings are less severe on an install.
	Level Level
	// Sentence is a fmt format of one sentence, with a period at its end.
	Sentence string
	// Fix describes the fix, as a command or a values line if possible; {value} stands for the path of the value.
	Fix string
	// Why is the reason that `explain` and the generated page show.
	Why string
}

// Table returns the definitions of the checks of an install, in the order of the codes.
func Table() []Definition {
	groups := [][]Definition{
		schemaTable(), runtimeTable(), tokenTable(), accountTable(), modeTable(),
		gitTable(), certificateTable(), clusterTable(), managedTable(),
	}
	return sorted(groups)
}

// RunningTable returns the definitions of the checks of a running runtime, in the order of the codes.
func RunningTable() []Definition {
	return sorted([][]Definition{podTable(), secretTable(), pathTable(), releaseTable(), surroundingsTable()})
}

func sorted(groups [][]Definition) []Definition {
	all := slices.Concat(groups...)
	sort.SliceStable(all, func(i, j int) bool { return all[i].Code < all[j].Code })
	return all
}

// byCode has every definition. It is made once: a run with bad input makes thousands of findings.
var byCode = sync.OnceValue(func() map[string]Definition {
	all := map[string]Definition{}
	for _, definition := range slices.Concat(Table(), RunningTable()) {
		all[definition.Code] = definition
	}
	return all
})

// Lookup returns the definition of a code, and false for an unknown code.
func Lookup(code string) (Definition, bool) {
	definition, known := byCode()[code]
	return definition, known
}

// unanswered returns the row of a check itself: its code means that a request got no response, and the sentence names what was missing.
func unanswered(code, why string) Definition {
	again := "run it again once that is fixed; --skip " + code + ", in the chart installer.skipChecks, leaves it out"
	return Definition{Code: code, Level: Inconclusive, Sentence: "%s", Fix: again, Why: why}
}
