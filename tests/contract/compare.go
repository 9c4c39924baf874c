package contract

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"

	"gitops-runtime/internal/facts"
	"gitops-runtime/internal/gomodule"
	"gitops-runtime/internal/helmchart"
	"gitops-runtime/internal/helmrender"
	"gitops-runtime/internal/valueschema"
)

// Outcome is the comparison of one mode.
type Outcome struct {
	Mode
	Have facts.Facts // Have is what this chart renders.
	// Same, Ruled and Excused count the facts that are the same, that are the same by a rule, and whose difference is accepted.
	Same, Ruled, Excused int
	Open                 []facts.Change // Open are the differences without an entry.
}

// Renderer renders the umbrella chart many times.
type Renderer struct {
	chart   *helmrender.Chart
	reader  facts.Reader
	schemas valueschema.Cache
	known   map[string]facts.Facts
}

// NewRenderer loads the umbrella chart.
func NewRenderer(ctx context.Context) (*Renderer, error) {
	root, err := gomodule.Root()
	if err != nil {
		return nil, err
	}
	loaded, err := helmchart.Load(ctx, helmchart.Source{Name: filepath.Join(root, "charts", "gitops-runtime")})
	if err != nil {
		return nil, err
	}
	return &Renderer{chart: helmrender.New(loaded), known: map[string]facts.Facts{}}, nil
}

// Render returns the facts of the umbrella chart with values, in a release with the names of the published renders.
func (r *Renderer) Render(values map[string]any) (facts.Facts, error) {
	key, err := json.Marshal(values)
	if err != nil {
		return nil, fmt.Errorf("values of a mode: %w", err)
	}
	if known := r.known[string(key)]; known != nil {
		return known, nil
	}
	manifests, err := r.manifests(values)
	if err != nil {
		return nil, err
	}
	r.known[string(key)], err = r.reader.Read(manifests...)
	return r.known[string(key)], err
}

func (r *Renderer) manifests(values map[string]any) ([]string, error) {
	rendered, err := r.chart.Release(values, helmrender.Options{
		Name: "rlsname", Namespace: "nspname", APIVersions: []string{"monitoring.coreos.com/v1", "gateway.networking.k8s.io/v1"}, Schemas: &r.schemas,
	})
	if err != nil {
		return nil, err
	}
	manifests := []string{rendered.Manifest}
	for _, hook := range rendered.Hooks {
		manifests = append(manifests, hook.Manifest)
	}
	return manifests, nil
}

// Comparison is the rules and the accepted differences.
type Comparison struct {
	Rules    *Rules
	Accepted []*Difference
}

// NewComparison reads the rules and the accepted differences.
func NewComparison() (*Comparison, error) {
	rules, err := ReadRules()
	if err != nil {
		return nil, err
	}
	accepted, err := Accepted()
	return &Comparison{Rules: rules, Accepted: accepted}, err
}

// Compare compares what both charts render in a mode.
func (c *Comparison) Compare(mode Mode, have facts.Facts) Outcome {
	outcome := Outcome{Mode: mode, Have: have}
	want := c.Rules.Renamed(mode.Facts)
	for object, paths := range want {
		for path, value := range paths {
			if now, ok := have[object][path]; ok && now == value {
				outcome.Same++
			} else {
				outcome.Ruled++
			}
		}
	}
	for _, change := range facts.Diff(c.Rules.Comparable(want), c.Rules.Comparable(have)) {
		if mode.Partial && change.Before == nil {
			continue
		}
		if change.Before != nil {
			outcome.Ruled--
		}
		if c.accepted(mode, change) {
			outcome.Excused++
		} else {
			outcome.Open = append(outcome.Open, change)
		}
	}
	return outcome
}

// refused returns the outcome of values that this chart does not render: one difference, "refused" of the object "values".
func (c *Comparison) refused(mode Mode, because error) Outcome {
	message := because.Error()
	change := facts.Change{Object: "values", Path: "refused", After: &message}
	if c.accepted(mode, change) {
		return Outcome{Mode: mode, Excused: 1}
	}
	return Outcome{Mode: mode, Open: []facts.Change{change}}
}

func (c *Comparison) accepted(mode Mode, change facts.Change) bool {
	for _, difference := range c.Accepted {
		if difference.accepts(mode.Version+" "+mode.Name, change) {
			return true
		}
	}
	return false
}

// Run compares every mode of every version.
func Run(ctx context.Context) (*Comparison, []Outcome, error) {
	comparison, err := NewComparison()
	if err != nil {
		return nil, nil, err
	}
	renderer, err := NewRenderer(ctx)
	if err != nil {
		return nil, nil, err
	}
	var outcomes []Outcome
	for _, version := range Versions() {
		modes, err := Modes(version)
		if err != nil {
			return nil, nil, err
		}
		for _, mode := range modes {
			have, err := renderer.Render(mode.Values)
			if err != nil {
				outcomes = append(outcomes, comparison.refused(mode, err))
				continue
			}
			outcomes = append(outcomes, comparison.Compare(mode, have))
		}
	}
	return comparison, outcomes, nil
}
