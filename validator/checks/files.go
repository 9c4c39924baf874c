package checks

import (
	"context"
	"fmt"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

// filesCode is the code of the check of the values files themselves.
const filesCode = "SCH200"

// checkFiles reports valid YAML in values files that is probably a mistake: duplicate keys and further documents.
func checkFiles(_ context.Context, d *state) engine.Outcome {
	if d.InHook {
		return nothing(helmHasChecked)
	}
	var list []findings.Finding
	for _, oddity := range d.Values.Oddities() {
		if oddity.Repeated == "" {
			list = append(list, findings.New("SCH202", oddity.Place))
			continue
		}
		list = append(list, findings.New("SCH201", oddity.Place, oddity.Repeated, position(oddity.First), position(oddity.Place)))
	}
	return found(list...)
}

func position(place helmvalues.Place) string {
	return fmt.Sprintf("in line %d (column %d)", place.Line, place.Column)
}

// Unreadable returns the result for a file of a batch that contains no values, so that no other check can run.
func Unreadable(err *helmvalues.FileError) engine.Result {
	place := helmvalues.Place{File: err.File, Line: err.Line}
	if place.Line > 0 {
		place.Column = 1
	}
	for _, row := range rows() {
		if row.code == filesCode {
			return engine.Result{
				Code: row.code, Title: row.title, Group: row.group, Status: engine.Failed,
				Findings: []findings.Finding{findings.New("SCH203", place, err.Flaw)},
			}
		}
	}
	panic("checks: there is no check " + filesCode)
}
