package checks

import (
	"context"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/valueschema"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

// umbrella is the name of the chart, below which a chart that depends on it has its values.
const umbrella = "gitops-runtime"

const helmHasChecked = "Helm has checked it before it ran this Job"

// checkSchema validates the merged values against the chart's schema and each subchart's part against the subchart's, as Helm does.
func checkSchema(_ context.Context, d *state) engine.Outcome {
	switch {
	case d.InHook:
		return nothing(helmHasChecked)
	case d.Chart == nil:
		return lacks("a chart")
	case len(d.Chart.Schema) == 0:
		return lacks("a values.schema.json in the chart")
	}
	refused, err := valueschema.Chart(d.Chart, d.Values, d.Schemas)
	if err != nil {
		return found(unknown("SCH100", helmvalues.Place{}, "Whether the values fit", err.Error()))
	}
	doubtful, err := valueschema.Doubts(d.Chart, d.Values, d.Schemas)
	if err != nil {
		return found(unknown("SCH100", helmvalues.Place{}, "Whether the values fit", err.Error()))
	}
	return found(append(asFindings(refused, findings.Fail), asFindings(doubtful, findings.Warn)...)...)
}

func asFindings(problems []valueschema.Problem, level findings.Level) []findings.Finding {
	var list []findings.Finding
	for _, problem := range problems {
		if problem.Code == valueschema.CodeUnknown && problem.Place.Value == umbrella {
			problem.Fix = "for the values of a chart that has this one as a dependency, give its folder by --chart; for this chart, move what is below " + umbrella + " to the top level"
		}
		list = append(list, findings.Finding{Code: problem.Code, Level: level, Message: problem.Message, Place: problem.Place, Fix: problem.Fix})
	}
	return list
}
