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
func (r *Renderer) Witness(ctx context.Context, user map[string]any, rendered Output) (Output, error) {
	fresh := rendered.fresh()
	if r.engine.whole || len(fresh) == len(rendered.files) || redefines(rendered.ready.chart) {
		output, err := r.Prove(ctx, user)
		if err == nil {
			rendered.witness()
		}
		return output, err
	}
	if err := ctx.Err(); err != nil {
		return Output{}, err
	}
	if err := r.checkSchemas(rendered.ready); err != nil {
		return Output{}, err
	}
	if len(fresh) == 0 {
		return rendered, nil
	}
	texts, err := helmengine.Render(only(rendered.ready.chart, rendered.needed(fresh), map[string]bool{}), rendered.ready.copied())
	if err != nil {
		return Output{}, err
	}
	files := make([]*file, len(rendered.files))
	for i, one := range rendered.files {
		files[i] = one
		if fresh[one.name] {
			files[i] = &file{name: one.name}
			files[i].cut(texts[one.name])
		}
	}
	rendered.witness()
	return Output{Values: rendered.Values, Documents: documentsOf(files)}, nil
}

// fresh returns the names of files that Helm's engine has not rendered yet.
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

// defines matches the definition of a template, with its name.
var defines = regexp.MustCompile("\\{\\{-?\\s*(?:define|block)\\s+[\"`]([^\"`]*)[\"`]")

// needed returns the names of files and of the templates that they execute.
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

// only returns a chart with its partials and the kept templates. Other templates that define what partials may include become partials. Of partials
// with the same text, as in several copies of a library chart, it contains one.
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

// redefines reports whether templates define a name with different texts, or more
// than once and not only in partials: the names of all files then determine which
// definition counts.
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
