package checks

import (
	"context"

	"gitops-runtime/validator/conformity"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

const helmHasChecked = "Helm has checked it before it ran this Job"

// checkSchema holds the merged values against the chart's schema and each
// subchart's part against the subchart's, as Helm does.
func checkSchema(_ context.Context, d *state) engine.Outcome {
	switch {
	case d.InHook:
		return nothing(helmHasChecked)
	case d.Chart == nil:
		return lacks("a chart")
	case len(d.Chart.Schema) == 0:
		return lacks("a values.schema.json in the chart")
	}
	list, err := conformity.Findings(d.Chart, d.Values, d.Schemas)
	if err != nil {
		return found(unknown("SCH100", findings.Place{}, "Whether the values fit", err.Error()))
	}
	return found(list...)
}
