package generate

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"helm.sh/helm/v3/pkg/chart"

	"gitops-runtime/imageoverride/emit"
	"gitops-runtime/imageoverride/locate"
	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/imageoverride/render"
	"gitops-runtime/imageoverride/solve"
	"gitops-runtime/imageoverride/values"
	"gitops-runtime/imageoverride/verify"
)

// Run loads the chart, finds overrides that serve all scenarios and proves
// them. A chart with images left out is no error: see Result.Outside.
func Run(ctx context.Context, options Options) (Result, error) {
	if options.Strategy == "" {
		options.Strategy = mapping.HostPrefix
	}
	mapper, err := mapping.New(options.Registry, options.Strategy, options.Table)
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
	renderer, err := render.NewRenderer(loaded, options.Settings)
	if err != nil {
		return Result{}, err
	}
	users, err := options.users(ctx, loaded, renderer)
	if err != nil {
		return Result{}, err
	}
	r := &run{mapper: mapper, renderer: renderer, index: locate.NewIndex(), options: options, earlier: before}
	if options.Everything {
		if users, err = r.everything(ctx, users); err != nil {
			return Result{}, err
		}
	}
	if err := r.look(ctx, users); err != nil {
		return Result{}, err
	}
	r.result.Unseen = renderer.Unseen()
	solver := solve.Solver{Mapper: mapper, Render: func(user map[string]any) (render.Output, error) {
		if err := ctx.Err(); err != nil {
			return render.Output{}, err
		}
		return renderer.Render(user)
	}}
	solution := solver.Solve(r.scenarios)
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
	renderer  *render.Renderer
	index     *locate.Index
	earlier   earlier
	scenarios []solve.Scenario
	withTags  map[string]any
	result    Result
}

// look renders every scenario as the user has it and finds its images.
func (r *run) look(ctx context.Context, users []user) error {
	r.result.Rendered = map[string]map[string]any{}
	for _, user := range users {
		if err := ctx.Err(); err != nil {
			return err
		}
		base, err := r.renderer.Render(user.tree)
		if err != nil {
			return r.refused(user.name, user.tree, fmt.Errorf("scenario %s does not render: %w", user.name, err))
		}
		found, err := r.index.Find(base.Documents, r.hosts())
		if err != nil {
			return fmt.Errorf("scenario %s: %w", user.name, err)
		}
		for _, problem := range found.Problems {
			text := fmt.Sprintf("%s %s: %q", problem.Field.Object, problem.Field.Path, problem.Field.Value)
			if !slices.Contains(r.result.Unread, text) {
				r.result.Unread = append(r.result.Unread, text)
			}
		}
		r.result.Images += len(found.Locations)
		r.result.Rendered[user.name] = user.tree
		r.scenarios = append(r.scenarios, solve.Scenario{Name: user.name, User: user.tree, Base: base, Locations: found.Locations})
	}
	return nil
}

// refused is why values do not render: a misspelt one is told as what it is,
// not by what its absence does.
func (r *run) refused(name string, user map[string]any, err error) error {
	if schema := r.renderer.Check(user); schema != nil {
		return fmt.Errorf("scenario %s: %w", name, schema)
	}
	return err
}

// hosts are registries that count in free text besides the public ones.
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

// write composes the files.
func (r *run) write(loaded *chart.Chart, solution solve.Solution) error {
	coalesced := map[string]any{}
	for i := len(r.scenarios) - 1; i >= 0; i-- {
		coalesced = values.Merge(coalesced, r.scenarios[i].Base.Values)
	}
	names, err := solve.Tree(solution.Names, coalesced)
	if err != nil {
		return err
	}
	both := append(append([]solve.Override{}, solution.Names...), solution.Pins...)
	sort.Slice(both, func(a, b int) bool { return both[a].Path.String() < both[b].Path.String() })
	if r.withTags, err = solve.Tree(both, coalesced); err != nil {
		return err
	}
	r.result.Values = names
	title := r.title(loaded)
	files := map[string][]byte{ListFile: emit.List(r.result.Mirror)}
	if files[NoTagsFile], err = emit.Values(names, title+"\nTags stay those of the chart.", r.earlier.files[NoTagsFile]); err != nil {
		return fmt.Errorf("%s: %w", NoTagsFile, err)
	}
	if files[WithTagsFile], err = emit.Values(r.withTags, title+"\nTags are pinned.", r.earlier.files[WithTagsFile]); err != nil {
		return fmt.Errorf("%s: %w", WithTagsFile, err)
	}
	if files[MirrorFile], err = emit.Mirror(r.result.Mirror); err != nil {
		return err
	}
	r.result.Files = files
	return nil
}

func (r *run) title(loaded *chart.Chart) string {
	return fmt.Sprintf("Images of chart %s %s at %s (%s), made by image-override.", loaded.Name(), loaded.Metadata.Version, r.mapper.Registry(), r.options.Strategy)
}

// prove renders every scenario with the overrides: once repeatably, to compare
// field by field, and with Helm's own engine and schemas, with tags and without.
func (r *run) prove(ctx context.Context) error {
	r.result.Patched = true
	for _, scenario := range r.scenarios {
		if err := ctx.Err(); err != nil {
			return err
		}
		user := values.Merge(scenario.User, r.result.Values)
		after, err := r.renderer.Render(user)
		if err != nil {
			return r.refused(scenario.Name, scenario.User, fmt.Errorf("scenario %s does not render any more with the new values: %w", scenario.Name, err))
		}
		changes, err := verify.Compare(r.index, scenario.Base.Documents, after.Documents, scenario.Locations, r.planned(scenario.Name))
		if err != nil {
			return err
		}
		r.result.Changes = append(r.result.Changes, changes...)
		known := len(r.result.Outside)
		if err := r.outside(scenario.Name, after); err != nil {
			return err
		}
		if err := r.proveWithHelm(scenario, len(r.result.Outside)-known); err != nil {
			return err
		}
	}
	return nil
}

// planned tells what each image is to become; an unreached one stays.
func (r *run) planned(scenario string) func(locate.Location) string {
	stays := map[locate.Location]bool{}
	for _, unreached := range r.result.Unreached {
		if unreached.Scenario == scenario {
			stays[unreached.Location] = true
		}
	}
	return func(location locate.Location) string {
		if stays[location] || r.mapper.Private(location.Image) {
			return location.Text()
		}
		return r.mapper.Target(location.Image).String()
	}
}

func (r *run) outside(scenario string, output render.Output) error {
	found, err := r.index.Find(output.Documents, r.hosts())
	if err != nil {
		return err
	}
	outside := verify.OutsideOf(found.Locations, r.mapper)
	for _, left := range outside {
		r.result.Outside = append(r.result.Outside, Left{Scenario: scenario, Outside: left})
	}
	if len(outside) > 0 {
		return r.provePatch(output)
	}
	return nil
}

// proveWithHelm repeats the proof with Helm's engine, which must leave as many
// images outside as are known.
func (r *run) proveWithHelm(scenario solve.Scenario, known int) error {
	for _, tree := range []map[string]any{r.withTags, r.result.Values} {
		output, err := r.renderer.RenderWithHelm(values.Merge(scenario.User, tree))
		if err != nil {
			return r.refused(scenario.Name, scenario.User, fmt.Errorf("scenario %s does not install with the new values: %w", scenario.Name, err))
		}
		found, err := r.index.Find(output.Documents, r.hosts())
		if err != nil {
			return err
		}
		outside := verify.OutsideOf(found.Locations, r.mapper)
		if len(outside) != known {
			return fmt.Errorf("scenario %s: Helm leaves %d images outside, the repeatable render %d; this is a defect of image-override, please report the chart", scenario.Name, len(outside), known)
		}
	}
	return nil
}
