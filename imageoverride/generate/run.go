package generate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/imageoverride/chartrender"
	"gitops-runtime/imageoverride/emit"
	"gitops-runtime/imageoverride/locate"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/proof"
	"gitops-runtime/imageoverride/solve"
	"gitops-runtime/internal/helmvalues"
)

// Run loads the chart, finds overrides that fit all scenarios and proves them. A chart with remaining images is not an error: see Result.Outside.
func Run(ctx context.Context, options Options) (Result, error) {
	var err error
	if options.text, err = options.input(ctx); err != nil {
		return Result{}, &WrongValues{err}
	}
	return once(ctx, options)
}

// differs is the error of a chart that Helm's engine renders differently.
type differs struct{ scenario, what string }

func (d *differs) Error() string {
	return fmt.Sprintf("scenario %s: Helm renders %s; this is a defect of image-override, please report the chart", d.scenario, d.what)
}

// once is Run after standard input was read.
func once(ctx context.Context, options Options) (Result, error) {
	mapper, err := options.mapper()
	if err != nil {
		return Result{}, err
	}
	loaded, err := options.load(ctx)
	if err != nil {
		return Result{}, err
	}
	before, err := readEarlier(options.Earlier)
	if err != nil {
		return Result{}, err
	}
	renderer, err := chartrender.NewRenderer(loaded, options.Settings)
	if err != nil {
		return Result{}, err
	}
	users, err := options.users(ctx, loaded, renderer)
	if err != nil {
		return Result{}, err
	}
	index := locate.NewIndex()
	r := &run{mapper: mapper, renderer: renderer, index: index, comparer: proof.NewComparer(index), options: options, earlier: before, harmful: map[string]bool{}, volatile: map[locate.Location]bool{}, renamed: map[string]bool{}}
	r.result.KubeVersion, r.result.RemoteSchemas = renderer.KubeVersion(), renderer.RemoteSchemas()
	if options.Everything {
		if users, err = r.everything(ctx, users); err != nil {
			return Result{}, err
		}
	}
	if err := r.inspect(ctx, users); err != nil {
		return Result{}, err
	}
	r.result.Unseen = renderer.Unseen()
	r.coalesced = map[string]any{}
	for i := len(r.scenarios) - 1; i >= 0; i-- {
		r.coalesced = helmvalues.Merge(r.coalesced, r.scenarios[i].Base.Values)
	}
	solution, err := r.solve(ctx)
	if err != nil {
		return Result{}, err
	}
	if err := r.pairs(); err != nil {
		return Result{}, err
	}
	if err := r.write(loaded, solution); err != nil {
		return Result{}, err
	}
	r.result.Unreached, r.result.Origins = solution.Unreached, solution.Origins
	if err := r.patch(); err != nil {
		return Result{}, err
	}
	if err := r.prove(ctx); err != nil {
		return r.result, err
	}
	err = r.digests(ctx, loaded, solution.Origins)
	return r.result, err
}

// run is the state of one Run.
type run struct {
	options   Options
	mapper    mapping.Mapper
	renderer  *chartrender.Renderer
	index     *locate.Index
	comparer  *proof.Comparer
	earlier   earlier
	scenarios []solve.Scenario
	withTags  map[string]any
	result    Result
	// coalesced contains the values of all scenarios, whose lists overrides copy.
	coalesced map[string]any
	// harmful contains the paths of values whose change the chart rejects or that would change another image.
	harmful map[string]bool
	// rendered contains the manifests of each scenario with the overrides that were checked last; proved reports whether Helm's engine rendered them.
	rendered [][]chartrender.Document
	proved   bool
	// volatile contains the images that differ from render to render, renamed the fields of those whose name does, not only the tag.
	volatile map[locate.Location]bool
	renamed  map[string]bool
}

// inspect renders every scenario with the user's values and finds its images.
func (r *run) inspect(ctx context.Context, users []user) error {
	r.result.Rendered = map[string]map[string]any{}
	for i, user := range users {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.options.step("render scenario %s (%d of %d)", user.name, i+1, len(users))
		base, err := r.renderer.Render(ctx, user.tree)
		if err != nil {
			return r.refused(ctx, user.name, user.tree, fmt.Errorf("scenario %s does not render: %w", user.name, err))
		}
		found, err := r.index.Find(base.Documents, r.hosts())
		if err != nil {
			return fmt.Errorf("scenario %s: %w", user.name, err)
		}
		if base.Volatile {
			if err := r.findVolatile(ctx, user, found); err != nil {
				return err
			}
		}
		r.result.Images += len(found.Locations)
		r.result.Rendered[user.name] = user.tree
		r.scenarios = append(r.scenarios, solve.Scenario{Name: user.name, User: user.tree, Base: base, Locations: found.Locations})
	}
	return nil
}

// refused explains why values do not render: a misspelled value is reported as such, not by the effect of its absence.
func (r *run) refused(ctx context.Context, name string, user map[string]any, err error) error {
	if ctx.Err() != nil || errors.As(err, new(*chartrender.TooLong)) {
		return err
	}
	if schema := r.renderer.Check(ctx, user); schema != nil {
		return fmt.Errorf("scenario %s: %w", name, schema)
	}
	return err
}

// hosts returns the registries whose references count in free text, in addition to the public ones.
func (r *run) hosts() []string {
	var hosts []string
	for _, prefix := range r.mapper.Prefixes() {
		image, err := mapping.Parse(prefix + "/x")
		if err == nil {
			hosts = append(hosts, image.Host)
		}
	}
	for host := range r.options.Table {
		hosts = append(hosts, host)
	}
	return hosts
}

// write adds the contents of the files to the result.
func (r *run) write(loaded *chart.Chart, solution solve.Solution) error {
	names, err := solve.Tree(solution.Names, r.coalesced)
	if err != nil {
		return err
	}
	both := append(append([]solve.Override{}, solution.Names...), solution.Pins...)
	sort.Slice(both, func(a, b int) bool { return both[a].Path.String() < both[b].Path.String() })
	if r.withTags, err = solve.Tree(both, r.coalesced); err != nil {
		return err
	}
	r.result.Values = names
	r.result.Warnings = append(r.duplicates(loaded), dropped(NoTagsFile, r.earlier.files[NoTagsFile], names)...)
	r.result.Warnings = append(r.result.Warnings, dropped(WithTagsFile, r.earlier.files[WithTagsFile], r.withTags)...)
	title := r.title(loaded)
	files := map[string][]byte{ListFile: emit.List(r.result.Mirror)}
	if files[NoTagsFile], err = emit.Values(names, title+"\nTags stay those of the chart.", r.earlier.files[NoTagsFile]); err != nil {
		return fmt.Errorf("%s: %w", NoTagsFile, err)
	}
	if files[WithTagsFile], err = emit.Values(r.withTags, title+"\n"+r.pinnedTags(solution), r.earlier.files[WithTagsFile]); err != nil {
		return fmt.Errorf("%s: %w", WithTagsFile, err)
	}
	if files[MirrorFile], err = emit.Mirror(r.result.Mirror); err != nil {
		return err
	}
	r.result.Files = files
	return nil
}

func (r *run) title(loaded *chart.Chart) string {
	return fmt.Sprintf("Images of chart %s %s at %s (%s), as the chart renders for Kubernetes %s%s; written by image-override.", loaded.Name(), loaded.Metadata.Version, r.mapper.Registry(), r.options.Strategy,
		r.result.KubeVersion, apiVersions(r.options.Settings.APIVersions))
}

// apiVersions returns the additional API versions that templates see, for output.
func apiVersions(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return " with " + strings.Join(all, ", ")
}

// pinnedTags returns a sentence on how many tags the values contain: the chart may write others itself.
func (r *run) pinnedTags(solution solve.Solution) string {
	pinned := map[string]bool{}
	for _, override := range slices.Concat(solution.Names, solution.Pins) {
		pinned[override.Path.String()] = true
	}
	held, all := 0, 0
	for _, origin := range solution.Origins {
		suffix := strings.TrimLeft(origin.Location.Image.Suffix(), ":@")
		if suffix == "" {
			continue
		}
		all++
		for _, path := range origin.Paths {
			node, _ := helmvalues.Get(r.withTags, path)
			if text, _ := (helmvalues.Leaf{Value: node}).Text(); pinned[path.String()] && text != "" && strings.HasSuffix(origin.Location.Image.Suffix(), text[strings.LastIndexAny(text, ":@")+1:]) {
				held++
				break
			}
		}
	}
	if held == all {
		return "Tags are pinned."
	}
	return fmt.Sprintf("Tags are pinned for %d of %d image references; the chart writes the others itself.", held, all)
}

// prove renders every scenario with the overrides: deterministically, to compare field by field, and with Helm's own engine. exact has already
// verified that explicit tags change nothing.
func (r *run) prove(ctx context.Context) error {
	r.result.Patched = true
	if !r.proved {
		r.renderer.Forget() // Helm's engine needs the memory
	}
	for i, scenario := range r.scenarios {
		after := r.rendered[i]
		changes, err := r.comparer.Compare(scenario.Base.Documents, after, scenario.Locations, r.planned(scenario.Name))
		if err != nil {
			return err
		}
		for _, change := range changes {
			if !r.accepts(change.Field, change.After) && !slices.Contains(r.result.Changes, change) {
				r.result.Changes = append(r.result.Changes, change)
			}
		}
		found, err := r.outside(scenario.Name, after)
		if err != nil {
			return err
		}
		if r.proved {
			continue
		}
		if err := r.proveWithHelm(ctx, scenario, after, found); err != nil {
			return err
		}
	}
	return nil
}

// planned returns a function that returns the target of each image; an unreached image is unchanged.
func (r *run) planned(scenario string) func(locate.Location) string {
	unchanged := map[locate.Location]bool{}
	for _, unreached := range r.result.Unreached {
		if unreached.Scenario == scenario {
			unchanged[unreached.Location] = true
		}
	}
	return func(location locate.Location) string {
		if unchanged[location] || r.mapper.Private(location.Image) {
			return location.Text()
		}
		return r.mapper.Target(location.Image).String()
	}
}

// outside records the images outside and the doubtful places of a render.
func (r *run) outside(scenario string, documents []chartrender.Document) (locate.Found, error) {
	found, err := r.index.Find(documents, r.hosts())
	if err != nil {
		return found, err
	}
	outside := proof.OutsideOf(found.Locations, r.mapper)
	for _, left := range outside {
		if r.accepts(left.Object+" "+left.Path, left.Image) {
			continue
		}
		r.result.Outside = append(r.result.Outside, Left{Scenario: scenario, Outside: left})
	}
	unread, suspected := r.doubts(scenario, found)
	r.result.Unread = append(r.result.Unread, unread...)
	r.result.Suspected = append(r.result.Suspected, suspected...)
	if len(outside) > 0 {
		return found, r.provePatch(documents)
	}
	return found, nil
}

// proveWithHelm repeats the proof with Helm's engine, which must render the
// same images, unreadable fields and suspected texts in the same places.
func (r *run) proveWithHelm(ctx context.Context, scenario solve.Scenario, after []chartrender.Document, known locate.Found) error {
	r.options.step("prove scenario %s with Helm", scenario.Name)
	user := helmvalues.Merge(scenario.User, r.result.Values)
	output, err := r.renderer.RenderWithHelm(ctx, user)
	if err != nil {
		return r.refused(ctx, scenario.Name, scenario.User, fmt.Errorf("scenario %s does not install with the new values: %w", scenario.Name, err))
	}
	if slices.Equal(after, output.Documents) {
		return nil
	}
	found, err := r.index.Find(output.Documents, r.hosts())
	if err != nil {
		return err
	}
	if ours, helms := r.texts(known), r.texts(found); !slices.Equal(ours, helms) {
		return &differs{scenario.Name, difference(ours, helms)}
	}
	return nil
}

// texts returns all images, unreadable fields and suspected texts with their places; of images that differ from render to render only what is the same.
func (r *run) texts(found locate.Found) []string {
	changing := map[string]bool{}
	for location := range r.volatile {
		changing[location.Field.ID()] = true
	}
	var all []string
	for _, location := range found.Locations {
		text := location.Text()
		switch id := location.Field.ID(); {
		case r.renamed[id]:
			text = "an image"
		case changing[id]:
			text = location.Image.Name()
		}
		all = append(all, text+" at "+location.Field.ID())
	}
	for _, problem := range found.Problems {
		all = append(all, "an unreadable image at "+problem.Field.ID())
	}
	for _, suspect := range found.Suspects {
		all = append(all, suspect.Text()+" at "+suspect.Field.ID())
	}
	return all
}

// difference describes the first text that occurs in only one of two renders.
func difference(ours, helms []string) string {
	for _, text := range helms {
		if !slices.Contains(ours, text) {
			return text + ", the repeatable render does not"
		}
	}
	for _, text := range ours {
		if !slices.Contains(helms, text) {
			return "no " + text + ", the repeatable render does"
		}
	}
	return "the same images in another order"
}
