// Package proofpage writes the findings and the proof of image-override as an HTML page.
package proofpage

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"slices"

	"gitops-runtime/imageoverride/generate"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/webpage"
)

//go:embed parts.gohtml
var parts string

// list contains the findings of one kind, with a sentence that explains them.
type list struct {
	Title, About string
	Texts        []string
}

type view struct {
	Class, Word, Verdict, KubeVersion string
	References                        int
	Mirror                            []mapping.Pair
	Lists                             []list
	Choices                           []webpage.Choice
}

// Write writes the page of one run; version is the version of the program.
func Write(out io.Writer, result generate.Result, version string) error {
	templates, err := webpage.Parse(parts)
	if err != nil {
		return fmt.Errorf("the templates of the report: %w", err)
	}
	buffered := bufio.NewWriter(out)
	page, err := webpage.Begin(buffered, templates, "Images of a chart at a private registry")
	if err != nil {
		return err
	}
	shown := view{
		Class: "passed", Word: "Proved", Verdict: "Every image reference points at the registry, and nothing else changes.",
		KubeVersion: cleantext.Line(result.KubeVersion), References: result.Images, Mirror: mirror(result.Mirror), Lists: lists(result),
	}
	if !result.Complete() {
		shown.Class, shown.Word, shown.Verdict = "failed", "Not proved", "An image is left out, or something is in doubt; it is listed below."
	}
	if err := page.Part("images", shown); err != nil {
		return err
	}
	if err := page.End("image-override " + cleantext.Line(version)); err != nil {
		return err
	}
	return buffered.Flush()
}

func mirror(pairs []mapping.Pair) []mapping.Pair {
	var all []mapping.Pair
	for _, pair := range pairs {
		all = append(all, mapping.Pair{Source: cleantext.Line(pair.Source), Target: cleantext.Line(pair.Target)})
	}
	return all
}

// lists returns the findings of a run except the images, without empty lists. Identical findings of several scenarios are listed once.
func lists(result generate.Result) []list {
	all := []list{
		{Title: "Outside", About: "Images that still come from elsewhere."},
		{Title: "Unread", About: "Image fields that hold no reference; a program fills them in later."},
		{Title: "Suspected", About: "Texts that may be images; only the program that reads them can tell."},
		{Title: "Unreached", About: "Images that no value changes."},
		{Title: "Also changed", About: "Fields without an image that the new values change."},
		{Title: "Name only", About: "Repositories to which a program adds the tag; the mirror does not have what it adds."},
		{Title: "Not rendered", About: "Template lines that speak of images and were rendered in no scenario."},
		{Title: "Warnings", About: "Remarks on values and files."},
	}
	add := func(index int, format string, args ...any) {
		text := cleantext.Line(fmt.Sprintf(format, args...))
		if !slices.Contains(all[index].Texts, text) {
			all[index].Texts = append(all[index].Texts, text)
		}
	}
	for _, left := range result.Outside {
		add(0, "%s at %s %s (template %s)", left.Image, left.Object, left.Path, left.Template)
	}
	for index, doubts := range [][]generate.Doubt{result.Unread, result.Suspected} {
		for _, doubt := range doubts {
			add(1+index, "%q at %s: %s", doubt.Text, doubt.Place, doubt.Reason)
		}
	}
	for _, left := range result.Unreached {
		field := left.Location.Field
		add(3, "%s at %s %s (template %s): %s", left.Location.Text(), field.Object, field.Path, field.Object.Template, left.Reason)
	}
	for _, change := range result.Changes {
		add(4, "%s from %q to %q", change.Field, change.Before, change.After)
	}
	for index, texts := range [][]string{result.NameOnly, result.Unseen, result.Warnings} {
		for _, text := range texts {
			add(5+index, "%s", text)
		}
	}
	return slices.DeleteFunc(all, func(one list) bool { return len(one.Texts) == 0 })
}
