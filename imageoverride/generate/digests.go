package generate

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/emit"
	"gitops-runtime/imageoverride/locate"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/solve"
	"gitops-runtime/internal/helmvalues"
)

// DigestsFile is a values file with the digests of a lock file, as far as
// templates can render digests.
const DigestsFile = "values-images-with-digests.yaml"

// Unpinned is an image that DigestsFile leaves without its digest.
type Unpinned struct {
	Scenario string
	Location locate.Location
}

// digests finds values that pin images by digest. Values named for digests are empty in most charts, so that no mark shows which image they affect.
// Therefore they are tried: first those next to the values of an image, then tags and whole references with the digest appended. Values with other
// effects are omitted.
func (r *run) digests(ctx context.Context, loaded *chart.Chart, origins []solve.Origin) error {
	if r.options.Digests == nil {
		return nil
	}
	p := pinning{run: r, want: map[string]string{}, origins: origins, tree: r.withTags}
	for _, pair := range r.result.Mirror {
		digest, known := r.options.Digests[pair.Source]
		if !known {
			return fmt.Errorf("the lock file does not contain %s; create it again with `image-override lock`", pair.Source)
		}
		p.want[pair.Target] = digest
	}
	if err := p.render(ctx); err != nil {
		return err
	}
	for _, candidates := range []func() []edit{p.empty, p.appended} {
		edits := candidates()
		items := make([]int, len(edits))
		for i := range items {
			items[i] = i
		}
		kept := solve.Isolate(func(chosen []int) bool { return ctx.Err() == nil && p.good(ctx, edits, chosen) }, items)
		if err := ctx.Err(); err != nil {
			return err
		}
		p.tree = p.with(edits, kept)
		if err := p.render(ctx); err != nil {
			return err
		}
	}
	return p.finish(ctx, loaded)
}

// pinning is the search for digests.
type pinning struct {
	*run
	want    map[string]string // digest by target
	origins []solve.Origin
	tree    map[string]any
	before  []pinned // by scenario
}

// pinned is the render of one scenario with the values so far.
type pinned struct {
	output    chartrender.Output
	locations []locate.Location
}

// edit is a new text for one value.
type edit struct {
	path helmvalues.Path
	text string
}

func (p *pinning) render(ctx context.Context) error {
	p.before = p.before[:0]
	for _, scenario := range p.scenarios {
		output, err := p.renderer.Render(ctx, helmvalues.Merge(scenario.User, p.tree))
		if err != nil {
			return fmt.Errorf("scenario %s: digests: %w", scenario.Name, err)
		}
		found, err := p.index.Find(output.Documents, p.hosts())
		if err != nil {
			return err
		}
		p.before = append(p.before, pinned{output: output, locations: found.Locations})
	}
	return nil
}

// digestOf returns the digest for an image, "" if it already has one or is not in the mirror table.
func (p *pinning) digestOf(image mapping.Image) string {
	if image.Digest != "" {
		return ""
	}
	return p.want[image.Pinned()]
}

var (
	namedDigest = regexp.MustCompile(`(?i)(digest|sha256)$`)
	namedTag    = regexp.MustCompile(`(?i)(tag|version)$`)
)

// empty proposes digests for empty values next to those of an image.
func (p *pinning) empty() []edit {
	return p.propose(func(propose func(helmvalues.Path, string), origin solve.Origin, tree map[string]any, _ mapping.Image, digest string) {
		for _, path := range origin.Paths {
			for _, beside := range emptyBeside(tree, path, namedDigest) {
				propose(beside, digest)
			}
		}
	})
}

// appended proposes tags and whole references with the digest appended, and
// tags with a digest for empty tags.
func (p *pinning) appended() []edit {
	return p.propose(func(propose func(helmvalues.Path, string), origin solve.Origin, tree map[string]any, image mapping.Image, digest string) {
		end := image.Tag
		if end == "" {
			end = image.Path
		}
		for _, path := range origin.Paths {
			node, _ := helmvalues.Get(tree, path)
			if text, ok := (helmvalues.Leaf{Value: node}).Text(); ok && strings.HasSuffix(text, end) && !strings.Contains(text, "{{") {
				propose(path, text+"@"+digest)
			}
			if image.Tag == "" {
				continue
			}
			for _, beside := range emptyBeside(tree, path, namedTag) {
				propose(beside, image.Tag+"@"+digest)
			}
		}
	})
}

// propose returns the edits of all images without a digest. It omits a value that would need two texts.
func (p *pinning) propose(ask func(propose func(helmvalues.Path, string), origin solve.Origin, tree map[string]any, image mapping.Image, digest string)) []edit {
	proposed := map[string]edit{}
	conflicting := map[string]bool{}
	for i, scenario := range p.scenarios {
		now := map[string][]mapping.Image{}
		for _, location := range p.before[i].locations {
			now[location.Field.ID()] = append(now[location.Field.ID()], location.Image)
		}
		for _, origin := range p.origins {
			if origin.Scenario != scenario.Name || len(now[origin.Location.Field.ID()]) != 1 {
				continue
			}
			image := now[origin.Location.Field.ID()][0]
			digest := p.digestOf(image)
			if digest == "" {
				continue
			}
			ask(func(path helmvalues.Path, text string) {
				key := path.String()
				if other, ok := proposed[key]; ok && other.text != text {
					conflicting[key] = true
				}
				proposed[key] = edit{path, text}
			}, origin, p.before[i].output.Values, image, digest)
		}
	}
	var edits []edit
	for key, one := range proposed {
		if !conflicting[key] {
			edits = append(edits, one)
		}
	}
	sort.Slice(edits, func(a, b int) bool { return edits[a].path.String() < edits[b].path.String() })
	return edits
}

// emptyBeside returns the paths of empty values next to a value whose keys match name.
func emptyBeside(tree map[string]any, path helmvalues.Path, name *regexp.Regexp) []helmvalues.Path {
	parent, _ := helmvalues.Get(tree, path[:len(path)-1])
	siblings, ok := parent.(map[string]any)
	if !ok {
		return nil
	}
	var all []helmvalues.Path
	for key, value := range siblings {
		if name.MatchString(key) && (value == nil || value == "") {
			all = append(all, append(slices.Clone(path[:len(path)-1]), helmvalues.Step{Key: key}))
		}
	}
	return all
}

func (p *pinning) with(edits []edit, chosen []int) map[string]any {
	tree := helmvalues.CopyTree(p.tree)
	for _, i := range chosen {
		for _, scenario := range p.before {
			// Set fails for an item of a list that only another scenario has.
			if helmvalues.Set(tree, scenario.output.Values, edits[i].path, edits[i].text) == nil {
				break
			}
		}
	}
	return tree
}

// good reports whether edits add digests to their images and have no other effect, in any scenario.
func (p *pinning) good(ctx context.Context, edits []edit, chosen []int) bool {
	tree := p.with(edits, chosen)
	for i, scenario := range p.scenarios {
		user := helmvalues.Merge(scenario.User, tree)
		output, err := p.renderer.Render(ctx, user)
		if err != nil {
			return false
		}
		found, err := p.index.Find(output.Documents, p.hosts())
		if err != nil {
			return false
		}
		after := map[string][]locate.Location{}
		for _, location := range found.Locations {
			after[location.Field.ID()] = append(after[location.Field.ID()], location)
		}
		changes, err := p.comparer.Compare(p.before[i].output.Documents, output.Documents, p.before[i].locations, func(location locate.Location) string {
			for _, now := range after[location.Field.ID()] {
				if p.pins(location.Image, now.Image) {
					return now.Text()
				}
			}
			return location.Text()
		})
		if err != nil || len(changes) > 0 || p.renderer.Check(ctx, user) != nil {
			return false
		}
	}
	return true
}

// pins reports whether after is the image before with its digest, and with the same tag or none.
func (p *pinning) pins(before, after mapping.Image) bool {
	digest := p.digestOf(before)
	return digest != "" && after.Digest == digest && after.Name() == before.Name() && (after.Tag == before.Tag || after.Tag == "")
}

// finish proves the values with Helm's engine and adds DigestsFile to the result.
func (p *pinning) finish(ctx context.Context, loaded *chart.Chart) error {
	for i, scenario := range p.scenarios {
		output, err := p.renderer.RenderWithHelm(ctx, helmvalues.Merge(scenario.User, p.tree))
		if err != nil {
			return fmt.Errorf("scenario %s does not install with digests: %w", scenario.Name, err)
		}
		found, err := p.index.Find(output.Documents, p.hosts())
		if err != nil {
			return err
		}
		if len(found.Locations) != len(p.before[i].locations) {
			return fmt.Errorf("scenario %s: Helm renders %d images with digests, the repeatable render %d; this is a defect of image-override, please report the chart", scenario.Name, len(found.Locations), len(p.before[i].locations))
		}
		for _, location := range found.Locations {
			if location.Image.Digest == "" {
				p.result.Unpinned = append(p.result.Unpinned, Unpinned{Scenario: scenario.Name, Location: location})
			}
		}
	}
	var err error
	p.result.Files[DigestsFile], err = emit.Values(p.tree, p.title(loaded)+"\nImages are pinned by digest.", p.earlier.files[DigestsFile])
	return err
}
