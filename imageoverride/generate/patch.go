package generate

import (
	"fmt"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/postrender"
	"gitops-runtime/imageoverride/proof"
)

// patch creates the kustomize component for images that no value reaches.
func (r *run) patch() error {
	documents := map[string]chartrender.Document{}
	for _, scenario := range r.scenarios {
		for _, document := range scenario.Base.Documents {
			documents[scenario.Name+" "+document.Key()] = document
		}
	}
	var changes []postrender.Change
	for _, unreached := range r.result.Unreached {
		if (chartrender.Document{Template: unreached.Location.Field.Object.Template}).Unrendered() {
			continue
		}
		object := unreached.Location.Field.Object
		key := chartrender.Document{Template: object.Template, Index: object.Index}.Key()
		changes = append(changes, postrender.Change{
			Location: unreached.Location, Target: unreached.Target, Document: documents[unreached.Scenario+" "+key],
		})
	}
	component, err := postrender.Component(changes)
	if err != nil {
		return err
	}
	if component != nil {
		r.result.Files[PatchFile] = component
	}
	return nil
}

// provePatch applies the post-renderer to manifests with images outside, and
// sets Patched to false if any remains.
func (r *run) provePatch(documents []chartrender.Document) error {
	mirrored := postrender.FromPairs(r.result.Mirror)
	for _, document := range documents {
		plan := mirrored
		if document.Unrendered() {
			plan = func(mapping.Image) (string, bool) { return "", false }
		}
		text, _, err := postrender.Apply(r.index, document, r.hosts(), plan)
		if err != nil {
			return fmt.Errorf("post-renderer: %w", err)
		}
		document.Text = text
		found, err := r.index.Find([]chartrender.Document{document}, r.hosts())
		if err != nil {
			return fmt.Errorf("post-renderer: %w", err)
		}
		if len(proof.OutsideOf(found.Locations, r.mapper)) > 0 {
			r.result.Patched = false
		}
	}
	return nil
}
