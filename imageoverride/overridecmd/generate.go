package overridecmd

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"gitops-runtime/imageoverride/generate"
	"gitops-runtime/imageoverride/mirror"
	"gitops-runtime/imageoverride/proof"
	"gitops-runtime/imageoverride/proofpage"
	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/outfile"
)

func generateCommand(streams Streams) *cobra.Command {
	flags := chartFlags{extend: streams.Extend}
	var folder, lock, html string
	var show bool
	command := &cobra.Command{
		Use:   "generate CHART --registry HOST[/PATH] [-f values.yaml] [-o out/]",
		Short: "Write values that redirect every image of a chart to a registry, and prove them by rendering",
		Args:  needs(chartArgument),
		RunE: func(command *cobra.Command, args []string) error {
			options, err := flags.complete(command, args[0])
			if err != nil {
				return err
			}
			options.Earlier, options.Progress = folder, steps(streams.Err)
			if options.Digests, err = lockedDigests(lock); err != nil {
				return err
			}
			result, err := generate.Run(command.Context(), options)
			if err != nil {
				return err
			}
			path, err := result.Write(folder)
			if err != nil {
				return err
			}
			if err := writePage(html, result, streams.Version); err != nil {
				return err
			}
			return report(streams.Out, result, path, show)
		},
	}
	flags.register(command)
	command.Flags().StringVarP(&folder, "output", "o", "out", "output folder")
	command.Flags().StringVar(&lock, "lock", "", "lock file of the command lock, whose digests are written into values")
	command.Flags().BoolVar(&show, "show", false, "list the template lines that were not rendered")
	command.Flags().StringVar(&html, "html", "", "file for a report as a self-contained HTML page")
	return command
}

// writePage writes the report as an HTML page, unless the file name is empty.
func writePage(file string, result generate.Result, version string) error {
	if file == "" {
		return nil
	}
	var page bytes.Buffer
	if err := proofpage.Write(&page, result, version); err != nil {
		return err
	}
	return outfile.Write(file, page.Bytes(), 0o644)
}

// lockedDigests returns the digests of a lock file by source; nil if the path is empty.
func lockedDigests(path string) (map[string]string, error) {
	if path == "" {
		return nil, nil
	}
	locked, err := mirror.ReadLock(path)
	if err != nil {
		return nil, err
	}
	digests := make(map[string]string, len(locked))
	for _, one := range locked {
		digests[one.Source] = one.Digest
	}
	return digests, nil
}

// report prints the results and the proof. It returns a leftOut error if the proof is incomplete.
func report(out io.Writer, result generate.Result, path string, show bool) error {
	p := printer{out: out}
	notes(&p, result)
	doubts(&p, result.Unread, result.Suspected)
	for _, text := range unreached(result) {
		p.line("unreached: %s", text)
	}
	for _, change := range result.Changes {
		p.line("also changed: %s from %q to %q%s", change.Field, change.Before, change.After, immutable(change))
	}
	if len(result.Unseen) > 0 {
		p.line("not rendered: %d template lines that mention images; --everything or further scenarios may reach them%s", len(result.Unseen), map[bool]string{true: ":", false: ", --show lists them"}[show])
	}
	for _, place := range byTemplate(result.Unseen) {
		if show {
			p.line("  %s", place)
		}
	}
	unpinned(&p, result)
	if p.lines > 1 {
		p.line("") // what matters comes last, alone
	}
	p.line("%d image references, %d images to mirror; install with -f %s", result.Images, len(result.Mirror), path)
	if len(result.Outside) > 0 && result.Patched {
		p.line("images that no value reaches: use `image-override post-render %s` or the kustomize component %s; proved by rendering", generate.MirrorFile, generate.PatchFile)
	}
	if p.err != nil {
		return p.err
	}
	if !result.Complete() {
		return leftOut{incomplete(result)}
	}
	p.line("proved by rendering for Kubernetes %s: every image reference points at the registry, and nothing else changes", result.KubeVersion)
	return p.err
}

// notes prints the Kubernetes version, remote schemas, switches that stay off, images without a tag, and warnings.
func notes(p *printer, result generate.Result) {
	p.line("rendered for Kubernetes %s", result.KubeVersion)
	for _, address := range result.RemoteSchemas {
		p.line("not fetched: a schema of the chart refers to %s; what it would reject is not known", address)
	}
	for _, apart := range result.Apart {
		reason, _, _ := strings.Cut(apart.Reason, "\n")
		p.line("stays off: %s does not turn on: %s [%s]", apart.Switch, reason, apart.Scenario)
	}
	for _, one := range result.Switches {
		p.line("switched %s: %s is %t in the values, since the chart refuses images at another registry without it", map[bool]string{true: "on", false: "off"}[*one.Switch], one.Path, *one.Switch)
	}
	for _, name := range result.NameOnly {
		p.line("name only: %s has no tag where the chart writes it; add what the program pulls with --extra-images", name)
	}
	for _, warning := range result.Warnings {
		p.line("warning: %s", warning)
	}
}

// doubts prints the places that cannot be proved to contain an image at the registry.
func doubts(p *printer, unread, suspected []generate.Doubt) {
	for _, group := range []struct {
		word string
		all  []generate.Doubt
	}{{"unread", unread}, {"suspected", suspected}} {
		var seen gathered
		for _, doubt := range group.all {
			seen.add(doubt.Scenario, fmt.Sprintf("%q at %s: %s", cleantext.Image(doubt.Text), doubt.Place, cleantext.Cut(doubt.Reason, 1000)))
		}
		for _, text := range seen.texts() {
			p.line("%s: %s", group.word, text)
		}
	}
}

func immutable(change proof.Change) string {
	if !change.Immutable {
		return ""
	}
	return "; Kubernetes refuses this change on an upgrade"
}

// incomplete returns one sentence about what is missing or in doubt.
func incomplete(result generate.Result) string {
	if len(result.Outside) > 0 {
		first := result.Outside[0]
		return fmt.Sprintf("%d image references still point outside; the first is %s at %s %s (scenario %s)", len(result.Outside), first.Image, first.Object, first.Path, first.Scenario)
	}
	var parts []string
	add := func(count int, what string) {
		if count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count, what))
		}
	}
	add(len(result.NameOnly), "repositories have no tag in the mirror table (name what the programs pull with --extra-images)")
	add(len(result.Unread), "image fields cannot be read")
	add(len(result.Suspected), "texts may be images")
	add(len(result.Changes), "other fields change")
	return "nothing is proved: " + strings.Join(parts, ", ") + "; look at each, and accept those that are right with --accept PLACE"
}

// unpinned prints which images have no digest although a lock file was given.
func unpinned(p *printer, result generate.Result) {
	if _, ok := result.Files[generate.DigestsFile]; !ok {
		return
	}
	var left gathered
	for _, one := range result.Unpinned {
		field := one.Location.Field
		left.add(one.Scenario, fmt.Sprintf("%s at %s %s: no value sets a digest there", one.Location.Text(), field.Object, field.Path))
	}
	for _, text := range left.texts() {
		p.line("not pinned: %s", text)
	}
	p.line("%d of %d image references are pinned by digest in %s", result.Images-len(result.Unpinned), result.Images, generate.DigestsFile)
}

// unreached returns one text per image that no value reaches.
func unreached(result generate.Result) []string {
	var all gathered
	for _, left := range result.Unreached {
		object := left.Location.Field.Object
		all.add(left.Scenario, fmt.Sprintf("%s at %s %s (template %s): %s", left.Location.Text(), object, left.Location.Field.Path, object.Template, left.Reason))
	}
	return all.texts()
}

// gathered merges identical messages of several scenarios, in the order of their first occurrence.
type gathered struct {
	order     []string
	scenarios map[string][]string
}

func (g *gathered) add(scenario, text string) {
	if g.scenarios == nil {
		g.scenarios = map[string][]string{}
	}
	if _, known := g.scenarios[text]; !known {
		g.order = append(g.order, text)
	}
	if !slices.Contains(g.scenarios[text], scenario) {
		g.scenarios[text] = append(g.scenarios[text], scenario)
	}
}

func (g *gathered) texts() []string {
	all := make([]string, len(g.order))
	for i, text := range g.order {
		all[i] = fmt.Sprintf("%s [%s]", text, strings.Join(g.scenarios[text], ", "))
	}
	return all
}

// byTemplate merges "template:line" texts into one text per template, with sorted lines.
func byTemplate(places []string) []string {
	numbers := map[string][]int{}
	var order []string
	for _, place := range places {
		template, text, _ := strings.Cut(place, ":")
		number, err := strconv.Atoi(text)
		if err != nil {
			continue
		}
		if _, known := numbers[template]; !known {
			order = append(order, template)
		}
		numbers[template] = append(numbers[template], number)
	}
	var all []string
	for _, template := range order {
		sort.Ints(numbers[template])
		all = append(all, template+lines(numbers[template]))
	}
	return all
}

// printer stores the first error of many prints.
type printer struct {
	out   io.Writer
	lines int
	err   error
}

func (p *printer) line(format string, args ...any) {
	if p.lines++; p.err == nil {
		_, p.err = fmt.Fprintln(p.out, cleantext.Block(fmt.Sprintf(format, args...)))
	}
}

func verifyCommand(streams Streams) *cobra.Command {
	flags := chartFlags{extend: streams.Extend}
	command := &cobra.Command{
		Use:   "verify CHART -f values-images-no-tags.yaml --registry HOST[/PATH]",
		Short: "Render a chart and check that every image is at the registry",
		Args:  needs(chartArgument),
		RunE: func(command *cobra.Command, args []string) error {
			options, err := flags.complete(command, args[0])
			if err != nil {
				return err
			}
			seen, err := generate.Verify(command.Context(), options)
			if err != nil {
				return err
			}
			p := printer{out: streams.Out}
			p.line("rendered for Kubernetes %s", seen.KubeVersion)
			doubts(&p, seen.Unread, seen.Suspected)
			for _, left := range seen.Outside {
				p.line("outside: %s at %s %s (template %s, scenario %s)", left.Image, left.Object, left.Path, left.Template, left.Scenario)
			}
			p.line("%d image references, %d outside", seen.Locations, len(seen.Outside))
			if p.err == nil && len(seen.Outside) > 0 {
				return leftOut{fmt.Sprintf("%d image references still point outside; give the values file that generate wrote with -f", len(seen.Outside))}
			}
			if doubts := len(seen.Unread) + len(seen.Suspected); p.err == nil && doubts > 0 {
				return leftOut{fmt.Sprintf("nothing is proved: %d texts cannot be recognized as images at the registry; look at each, and accept those that are right with --accept PLACE", doubts)}
			}
			return p.err
		},
	}
	flags.register(command)
	return command
}
