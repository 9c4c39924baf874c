package chartrender

import (
	"context"
	"maps"
	"path"
	"regexp"

	"helm.sh/helm/v3/pkg/chart"
	helmengine "helm.sh/helm/v3/pkg/engine"
)

// Witness renders with Helm's own engine what Render rendered for a user's values, and validates the values against the schemas. A file that Helm's
// engine has already rendered with the same inputs is not rendered again: its text is that of Render.
func (r *Renderer) Witness(ctx context.Context, user map[string]any, made Output) (Output, error) {
	fresh := made.fresh()
	if r.engine.whole || len(fresh) == len(made.files) || redefines(made.ready.chart) {
		output, err := r.Prove(ctx, user)
		if err == nil {
			made.witness()
		}
		return output, err
	}
	if err := ctx.Err(); err != nil {
		return Output{}, err
	}
	if err := r.hold(made.ready); err != nil {
		return Output{}, err
	}
	if len(fresh) == 0 {
		return made, nil
	}
	texts, err := helmengine.Render(only(made.ready.chart, made.needed(fresh), map[string]bool{}), made.ready.copied())
	if err != nil {
		return Output{}, err
	}
	files := make([]*file, len(made.files))
	for i, one := range made.files {
		files[i] = one
		if fresh[one.name] {
			files[i] = &file{name: one.name}
			files[i].cut(texts[one.name])
		}
	}
	made.witness()
	return Output{Values: made.Values, Documents: documentsOf(files)}, nil
}

// fresh are the files that Helm's engine has not rendered yet.
func (o Output) fresh() map[string]bool {
	all := map[string]bool{}
	for _, one := range o.files {
		if !one.witnessed {
			all[one.name] = true
		}
	}
	return all
}

func (o Output) witness() {
	for _, one := range o.files {
		one.witnessed = true
	}
}

// defines finds the names of templates that a file defines.
var defines = regexp.MustCompile("\\{\\{-?\\s*(?:define|block)\\s+[\"`]([^\"`]*)[\"`]")

// needed are files with those that they include.
func (o Output) needed(files map[string]bool) map[string]bool {
	all := maps.Clone(files)
	for _, one := range o.files {
		if files[one.name] {
			for name := range one.bodies {
				all[name] = true
			}
		}
	}
	return all
}

// only is a chart with its partials and some of its other templates. Other templates that define what partials may include become partials. Of partials
// with the same text, as in several copies of a library chart, one is enough.
func only(c *chart.Chart, kept, seen map[string]bool) *chart.Chart {
	full := c.ChartFullPath()
	out := &chart.Chart{Metadata: c.Metadata, Lock: c.Lock, Values: c.Values, Schema: c.Schema, Files: c.Files}
	for _, template := range c.Templates {
		switch {
		case template == nil:
		case isPartial(template.Name) && !kept[full+"/"+template.Name] && seen[string(template.Data)]:
		case isPartial(template.Name) || kept[full+"/"+template.Name]:
			out.Templates = append(out.Templates, template)
			seen[string(template.Data)] = isPartial(template.Name)
		case defines.Match(template.Data):
			folder, name := path.Split(template.Name)
			out.Templates = append(out.Templates, &chart.File{Name: folder + "_" + name, Data: template.Data})
		}
	}
	for _, child := range c.Dependencies() {
		out.AddDependency(only(child, kept, seen))
	}
	return out
}

// redefines reports whether templates define the same name in two ways, or one of
// them in what is not a partial: which one counts depends on the names of all
// files then.
func redefines(c *chart.Chart) bool {
	count, manifests, texts := map[string]int{}, map[string]bool{}, map[string]string{}
	differ := false
	var gather func(c *chart.Chart)
	gather = func(c *chart.Chart) {
		for _, template := range c.Templates {
			if template == nil {
				continue
			}
			for _, found := range defines.FindAllSubmatch(template.Data, -1) {
				name, text := string(found[1]), string(template.Data)
				differ = differ || count[name] > 0 && texts[name] != text
				count[name]++
				manifests[name], texts[name] = manifests[name] || !isPartial(template.Name), text
			}
		}
		for _, child := range c.Dependencies() {
			gather(child)
		}
	}
	gather(c)
	for name := range manifests {
		differ = differ || manifests[name] && count[name] > 1
	}
	return differ
}
