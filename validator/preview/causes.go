package preview

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"helm.sh/helm/v3/pkg/release"

	"gitops-runtime/internal/facts"
	"gitops-runtime/internal/helmvalues"
)

// Causes finds the value that causes a change: it renders the new chart with half of the changed values reverted, and looks which changes go, until one
// value is left or the time is over.
type Causes struct {
	// Before and After are the values of both sides, without the defaults of charts.
	Before, After map[string]any
	// Place returns where a value of After, or the value of Before that After lacks, was written.
	Place func(path string) helmvalues.Place
	// Chart is true if the charts differ, so that they cause changes, too.
	Chart bool
	// Render renders the new chart with other values.
	Render func(values map[string]any) (*release.Release, error)
	// For is how long the search takes at most.
	For time.Duration

	found map[fact]string
	used  map[string]bool // the values that are, or may be, causes
	until time.Time
}

type fact struct{ object, path string }

// byChart is the cause of changes that no value causes.
const byChart = "the chart"

// of returns the cause of a change, "" if it is not known.
func (c *Causes) of(change facts.Change) string {
	if c == nil {
		return ""
	}
	return c.found[fact{change.Object, change.Path}]
}

// find finds the causes of changes, and returns the values that differ and change nothing, as far as the time allows to know.
func (c *Causes) find(ctx context.Context, changes []facts.Change, after side, namespace string) []string {
	c.found, c.used, c.until = map[fact]string{}, map[string]bool{}, time.Now().Add(c.For)
	values := changedValues(nil, c.Before, c.After)
	if len(changes) > 0 && !c.search(ctx, values, changes, namespace) {
		return nil
	}
	return c.idle(ctx, slices.DeleteFunc(values, func(path helmvalues.Path) bool { return c.used[path.String()] }), after, namespace)
}

// search finds the causes of changes. It returns false if the new chart does not render with the old values.
func (c *Causes) search(ctx context.Context, values []helmvalues.Path, changes []facts.Change, namespace string) bool {
	rest := changes
	if c.Chart {
		rest = nil
		reverted := c.reverted(values, namespace)
		for _, change := range changes {
			switch {
			case len(values) == 0, reverted != nil && same(reverted.facts, change):
				c.found[fact{change.Object, change.Path}] = byChart
			default:
				rest = append(rest, change)
			}
		}
		if reverted == nil {
			return false
		}
	}
	c.split(ctx, values, rest, namespace)
	return true
}

// idle returns those of the values that change nothing, as they are or as they were.
func (c *Causes) idle(ctx context.Context, values []helmvalues.Path, after side, namespace string) []string {
	if len(values) == 0 || ctx.Err() != nil || time.Now().After(c.until) {
		return nil
	}
	reverted := c.reverted(values, namespace)
	switch {
	case reverted != nil && len(facts.Diff(reverted.facts, after.facts)) == 0 && slices.Equal(manifests(reverted.hooks), manifests(after.hooks)):
		var names []string
		for _, path := range values {
			names = append(names, described(c.Place(path.String())))
		}
		return names
	case len(values) == 1:
		return nil
	}
	half := len(values) / 2
	return append(c.idle(ctx, values[:half], after, namespace), c.idle(ctx, values[half:], after, namespace)...)
}

func manifests(hooks []*release.Hook) []string {
	texts := make([]string, len(hooks))
	for i, hook := range hooks {
		texts[i] = hook.Manifest
	}
	return slices.Sorted(slices.Values(texts))
}

// split assigns changes to the values that cause them.
func (c *Causes) split(ctx context.Context, values []helmvalues.Path, changes []facts.Change, namespace string) {
	if len(values) == 0 || len(changes) == 0 {
		return
	}
	half := len(values) / 2
	var reverted *side
	if half > 0 && ctx.Err() == nil && time.Now().Before(c.until) {
		reverted = c.reverted(values[:half], namespace)
	}
	if reverted == nil {
		cause := c.describe(values)
		for _, path := range values {
			c.used[path.String()] = true
		}
		for _, change := range changes {
			c.found[fact{change.Object, change.Path}] = cause
		}
		return
	}
	var first, second []facts.Change
	for _, change := range changes {
		if same(reverted.facts, change) {
			second = append(second, change)
		} else {
			first = append(first, change)
		}
	}
	c.split(ctx, values[:half], first, namespace)
	c.split(ctx, values[half:], second, namespace)
}

// same reports whether facts have a change as it is after the upgrade.
func same(of facts.Facts, change facts.Change) bool {
	value, has := of[change.Object][change.Path]
	return has == (change.After != nil) && (!has || value == *change.After)
}

// reverted returns what the new chart renders with values as they were before, nil if it does not render with them.
func (c *Causes) reverted(values []helmvalues.Path, namespace string) *side {
	mixed := helmvalues.CopyTree(c.After)
	for _, path := range values {
		before, had := helmvalues.Get(c.Before, path)
		revert(mixed, path, before, had)
	}
	rendered, err := c.Render(mixed)
	if err != nil {
		return nil
	}
	made, err := read(rendered, namespace)
	if err != nil {
		return nil
	}
	return &made
}

func revert(into map[string]any, path helmvalues.Path, value any, had bool) {
	for _, step := range path[:len(path)-1] {
		below, ok := into[step.Key].(map[string]any)
		if !ok {
			below = map[string]any{}
			into[step.Key] = below
		}
		into = below
	}
	last := path[len(path)-1].Key
	if had {
		into[last] = helmvalues.Copy(value)
	} else {
		delete(into, last)
	}
}

// changedValues returns the paths of the values that differ, in order; a list counts as one value.
func changedValues(path helmvalues.Path, before, after map[string]any) []helmvalues.Path {
	var found []helmvalues.Path
	for _, key := range facts.Union(before, after) {
		was, is := before[key], after[key]
		at := append(slices.Clone(path), helmvalues.Step{Key: key})
		if reflect.DeepEqual(was, is) {
			continue
		}
		old, wasMap := was.(map[string]any)
		new, isMap := is.(map[string]any)
		if (wasMap || was == nil) && (isMap || is == nil) && len(old)+len(new) > 0 {
			found = append(found, changedValues(at, old, new)...)
			continue
		}
		found = append(found, at)
	}
	return found
}

// describe names the values that may be a cause.
func (c *Causes) describe(values []helmvalues.Path) string {
	if len(values) > 3 {
		common := values[0].String()
		for _, path := range values {
			for !strings.HasPrefix(path.String()+".", common+".") && common != "" {
				common = common[:max(strings.LastIndex(common, "."), 0)]
			}
		}
		if common == "" {
			return fmt.Sprintf("one of %d values", len(values))
		}
		return fmt.Sprintf("one of %d values below %s", len(values), common)
	}
	var names []string
	for _, path := range values {
		names = append(names, described(c.Place(path.String())))
	}
	return strings.Join(names, " or ")
}

func described(place helmvalues.Place) string {
	switch {
	case place.File != "":
		return place.Value + " (" + place.String() + ")"
	case place.Flag != "":
		return place.String()
	}
	return place.Value
}
