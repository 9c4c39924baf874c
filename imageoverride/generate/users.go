package generate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/internal/valueschema"
)

// user is a scenario with its loaded values.
type user struct {
	name string
	tree map[string]any
}

// WrongValues is the error of values that cannot be read.
type WrongValues struct{ Below error }

func (w *WrongValues) Error() string { return w.Below.Error() }

// Unwrap returns the cause.
func (w *WrongValues) Unwrap() error { return w.Below }

// Refused is the error of values that the chart's schema rejects.
type Refused struct {
	// Scenario is empty if the scenario has no name.
	Scenario string
	Problems []valueschema.Problem
}

// Error returns a heading, and each problem with its fix in the format of validate-values.
func (r *Refused) Error() string {
	var text strings.Builder
	if r.Scenario != "" {
		fmt.Fprintf(&text, "scenario %s: ", r.Scenario)
	}
	text.WriteString("the chart's schema rejects the values")
	for _, problem := range r.Problems {
		text.WriteString("\n" + problem.Line())
		if problem.Fix != "" {
			text.WriteString("\n  fix  " + problem.Fix)
		}
	}
	return text.String()
}

// users reads the values of all scenarios and validates them against the chart's schemas. A problem there is an error if Helm rejects it, too.
func (o Options) users(ctx context.Context, loaded *chart.Chart, renderer *chartrender.Renderer) ([]user, error) {
	scenarios := o.Scenarios
	if len(scenarios) == 0 {
		scenarios = []Scenario{{}}
	}
	var all []user
	plain, cache := helmchart.Of(loaded), &valueschema.Cache{}
	input, err := o.input(ctx)
	if err != nil {
		return nil, &WrongValues{err}
	}
	for i, scenario := range scenarios {
		if slices.ContainsFunc(scenarios[:i], func(other Scenario) bool { return other.Name == scenario.Name }) {
			return nil, &WrongValues{fmt.Errorf("scenario %s is defined twice; use each name once", scenario.Name)}
		}
		read, err := helmvalues.Load(ctx, o.of(scenario, input))
		if err != nil {
			if scenario.Name != "" {
				err = fmt.Errorf("scenario %s: %w", scenario.Name, err)
			}
			return nil, &WrongValues{err}
		}
		one := user{name: cmp.Or(scenario.Name, "default"), tree: helmvalues.CopyTree(read.Tree)}
		read.WithDefaults(plain)
		var found []valueschema.Problem
		err = renderer.Within(ctx, func() (err error) {
			found, err = valueschema.Chart(plain, read, cache)
			return err
		})
		if errors.As(err, new(*chartrender.TooLong)) || ctx.Err() != nil {
			return nil, err
		}
		if err == nil && len(found) > 0 && renderer.Check(ctx, one.tree) != nil {
			return nil, &Refused{Scenario: scenario.Name, Problems: found}
		}
		all = append(all, one)
	}
	return all, nil
}

// of returns the sources of one scenario's values in Helm's order.
func (o Options) of(scenario Scenario, input []byte) helmvalues.Options {
	first, then := o.Values, scenario.Values
	return helmvalues.Options{
		Base:       helmvalues.Merge(first.Tree, then.Tree),
		Files:      slices.Concat(first.Files, then.Files),
		JSON:       slices.Concat(first.JSON, then.JSON),
		Set:        slices.Concat(first.Set, then.Set),
		SetString:  slices.Concat(first.SetString, then.SetString),
		SetFile:    slices.Concat(first.SetFile, then.SetFile),
		SetLiteral: slices.Concat(first.SetLiteral, then.SetLiteral),
		Text:       input,
	}
}

// input returns the content of standard input, if a values file is "-"; scenarios share it.
func (o Options) input(ctx context.Context) ([]byte, error) {
	if o.text != nil || !slices.Contains(o.Values.Files, "-") {
		return o.text, nil
	}
	text, err := helmvalues.Options{In: o.Values.In}.Input(ctx)
	return append([]byte{}, text...), err
}
