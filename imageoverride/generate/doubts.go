package generate

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gitops-runtime/imageoverride/locate"
	"gitops-runtime/imageoverride/proof"
)

// Doubt is a text that cannot be proved to be an image at the registry: an image field that cannot be read, or a text that may be an image.
type Doubt struct {
	Scenario string `json:"scenario"`
	Place    string `json:"place"`
	Text     string `json:"text"`
	Reason   string `json:"reason"`
}

// doubts returns the doubts about one render, except those that the user accepts.
func (r *run) doubts(scenario string, found locate.Found) (unread, suspected []Doubt) {
	for _, problem := range found.Problems {
		unread = r.doubt(unread, Doubt{scenario, proof.Place(problem.Field), shown(problem.Field, problem.Field.Value), problem.Reason})
	}
	for _, suspect := range found.Suspects {
		if r.mapper.Private(suspect.Image) {
			continue
		}
		suspected = r.doubt(suspected, Doubt{scenario, proof.Place(suspect.Field), suspect.Text(), suspect.Reason})
	}
	return unread, suspected
}

// findVolatile renders a scenario with Helm's engine, and records the images whose text is another one than in the repeatable render: their names or tags
// come from the time or from random values, and no mirror can have them.
func (r *run) findVolatile(ctx context.Context, user user, found locate.Found) error {
	output, err := r.renderer.RenderWithHelm(ctx, user.tree)
	if err != nil {
		return r.refused(ctx, user.name, user.tree, fmt.Errorf("scenario %s does not render: %w", user.name, err))
	}
	helms, err := r.index.Find(output.Documents, r.hosts())
	if err != nil {
		return err
	}
	same := map[string]bool{}
	for _, location := range helms.Locations {
		same[location.Field.ID()+" "+location.Text()] = true
		same[location.Field.ID()+" "+location.Image.Name()] = true
	}
	for _, location := range found.Locations {
		if same[location.Field.ID()+" "+location.Text()] {
			continue
		}
		what := "tag"
		if !same[location.Field.ID()+" "+location.Image.Name()] {
			what, r.renamed[location.Field.ID()] = "name", true
		}
		r.volatile[location] = true
		reason := "the template writes another " + what + " in every render, from the time or a random value"
		r.result.Unread = r.doubt(r.result.Unread, Doubt{user.name, proof.Place(location.Field), location.Image.Name(), reason})
	}
	return nil
}

func (r *run) doubt(all []Doubt, one Doubt) []Doubt {
	if r.accepts(one.Place, one.Text) || slices.Contains(all, one) {
		return all
	}
	return append(all, one)
}

// shown returns a text for output; it truncates long texts and hides the content of Secrets.
func shown(field locate.Field, text string) string {
	if field.Object.Kind == "Secret" && len(text) > 0 && strings.ContainsAny(text, " \n") {
		return "(content of a Secret)"
	}
	if runes := []rune(text); len(runes) > 120 {
		return string(runes[:120]) + "..."
	}
	return text
}

// accepts reports whether Options.Accept matches a place or a text.
func (r *run) accepts(place, text string) bool {
	return slices.ContainsFunc(r.options.Accept, func(pattern string) bool {
		parts := strings.Split(pattern, "*")
		for i, part := range parts {
			parts[i] = regexp.QuoteMeta(part)
		}
		form := regexp.MustCompile("(?s)^" + strings.Join(parts, ".*") + "$")
		return form.MatchString(place) || form.MatchString(text)
	})
}
