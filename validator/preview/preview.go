// Package preview says what an upgrade of a Helm release changes before anything is touched: which objects, which pods restart and why, what the API
// server or Helm would refuse, who gains which access, which images, hooks and a way back. It compares what Helm installed, or would install, with what
// it would install next; a cluster answers what manifests do not tell. It only reads, and knows Secrets by their names.
package preview

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/release"

	"gitops-runtime/internal/facts"
)

// Side is one side of the comparison.
type Side struct {
	// Title names it in reports: the release with its revision, or the chart with its version.
	Title string
	// Release is what Helm installed or would install.
	Release *release.Release
	// Revision is true if Release was read from the cluster, so that Helm can roll back to it.
	Revision bool
}

// Input is what is compared.
type Input struct {
	Before, After Side
	// Namespace and Name are those of the release.
	Namespace, Name string
	// Kubernetes is the version of the cluster, such as v1.34.4; empty if it is not known.
	Kubernetes string
	// Cluster answers what manifests do not tell; nil if there is none.
	Cluster Cluster
	// Causes finds the values that cause changes; nil finds none.
	Causes *Causes
	// Lookup is what answered the function lookup of templates; nil if nothing did.
	Lookup *Lookup
	// Hidden are texts that reports must not contain.
	Hidden *Hidden
}

// Report is the outcome of a comparison.
type Report struct {
	Schema     string    `json:"schema"`
	Version    string    `json:"version"`
	Before     string    `json:"before"`
	After      string    `json:"after"`
	Namespace  string    `json:"namespace"`
	Release    string    `json:"release"`
	Kubernetes string    `json:"kubernetes,omitempty"`
	Sections   []Section `json:"sections"`
}

// Schema is the version of the JSON format; it changes when a field changes its meaning or is removed.
const Schema = "validate-values-preview/v1"

// Section is a part of the report.
type Section struct {
	// Name is objects, restarts, breaks, reach, images, hooks or back.
	Name  string `json:"name"`
	Title string `json:"title"`
	Items []Item `json:"items"`
	// Notes are sentences about the section as a whole.
	Notes []string `json:"notes,omitempty"`
	// Unknown are sentences about what could not be known.
	Unknown []string `json:"unknown,omitempty"`
	// Failed is true if a request to the cluster got no answer.
	Failed bool `json:"failed,omitempty"`
}

// Item is one line of a section.
type Item struct {
	// Change is one word: added, removed, changed, restarts, ends, refused and so on.
	Change string `json:"change"`
	// Component groups objects: the label app.kubernetes.io/name or part-of.
	Component string `json:"component,omitempty"`
	// Object is Kind/name, an account, or an image.
	Object  string   `json:"object"`
	Message string   `json:"message,omitempty"`
	Details []Detail `json:"details,omitempty"`
	// Alarms are the words of --fail-on that the item is one of.
	Alarms []string `json:"alarms,omitempty"`
}

// Detail is one field of an item.
type Detail struct {
	Path string `json:"path"`
	// Before and After are the values; nil if there is none.
	Before *string `json:"before,omitempty"`
	After  *string `json:"after,omitempty"`
	// Cause is the value, with its place, that causes the change; empty if it is not known.
	Cause string `json:"cause,omitempty"`
}

// Alarms are the words of --fail-on.
func Alarms() []string {
	return []string{"breaks", "restarts", "gaps", "rights", "connections", "secrets", "images", "vulnerabilities", "removals", "changes"}
}

// Count returns the number of items with an alarm.
func (r Report) Count(alarm string) int {
	count := 0
	for _, section := range r.Sections {
		for _, item := range section.Items {
			if slices.Contains(item.Alarms, alarm) {
				count++
			}
		}
	}
	return count
}

// Section returns a section by its name.
func (r Report) Section(name string) Section {
	for _, section := range r.Sections {
		if section.Name == name {
			return section
		}
	}
	return Section{}
}

// comparison is both sides, prepared, with what the sections share.
type comparison struct {
	Input
	before, after side
	changes       []facts.Change
	idle          []string // values that differ and change nothing
	live          *live
}

// Compare compares both sides.
func Compare(ctx context.Context, in Input) (Report, error) {
	c := &comparison{Input: in, live: newLive(in)}
	var err error
	if c.before, err = read(in.Before.Release, in.Namespace); err != nil {
		return Report{}, fmt.Errorf("%s: %w", in.Before.Title, err)
	}
	if c.after, err = read(in.After.Release, in.Namespace); err != nil {
		return Report{}, fmt.Errorf("%s: %w", in.After.Title, err)
	}
	if in.Lookup != nil {
		c.live.unknown = append(c.live.unknown, in.Lookup.unknown...)
	}
	c.changes = facts.Diff(c.before.facts, c.after.facts)
	if in.Causes != nil {
		c.idle = in.Causes.find(ctx, c.changes, c.after, in.Namespace)
	}
	c.live.look(ctx, c)
	report := Report{
		Schema: Schema, Before: in.Before.Title, After: in.After.Title, Namespace: in.Namespace, Release: in.Name, Kubernetes: in.Kubernetes,
		Sections: []Section{c.objects(), c.restarts(), c.breaks(ctx), c.reach(), c.images(), c.hooks(), c.back()},
	}
	in.Hidden.secretsOf(c.before, c.after)
	return in.Hidden.clean(report), nil
}

// text returns a pointer to a text, for a Detail.
func text(value string) *string { return &value }

// plural returns "1 object" or "2 objects".
func plural(count int, one string) string {
	if count == 1 {
		return "1 " + one
	}
	if rest, ok := strings.CutSuffix(one, "y"); ok {
		one = rest + "ie"
	}
	return fmt.Sprintf("%d %ss", count, one)
}

// list joins words: "a, b and c"; of more than eight it names six.
func list(words []string) string {
	if len(words) > 8 {
		return strings.Join(words[:6], ", ") + fmt.Sprintf(" and %d more", len(words)-6)
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
