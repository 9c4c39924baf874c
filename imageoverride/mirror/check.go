package mirror

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"gitops-runtime/imageoverride/mapping"
	"gitops-runtime/internal/registry"
)

// platform returns the platform of a child, such as "linux/arm64". Children
// without one, such as attestations, are distinguished by their digest.
func platform(child v1.Descriptor) string {
	if child.Platform == nil || child.Platform.OS == "" || child.Platform.OS == "unknown" {
		return "other@" + child.Digest.String()
	}
	return child.Platform.String()
}

// Defect is a target that differs from what is expected.
type Defect struct {
	Pair   mapping.Pair
	Reason string
}

// Check compares targets with the lock file and returns the defects in the order of the list. It does not contact the sources. With read it also reads
// every blob of the targets, and compares its content with its digest.
func Check(ctx context.Context, access registry.Access, locked []Locked, jobs int, read bool) ([]Defect, error) {
	registries, err := open(access)
	if err != nil {
		return nil, err
	}
	pairs := make([]mapping.Pair, len(locked))
	for i, one := range locked {
		pairs[i] = mapping.Pair{Source: one.Source, Target: one.Target}
	}
	reasons := make([]string, len(locked))
	err = each(ctx, pairs, jobs, func(ctx context.Context, i int) error {
		reason, err := registries.defect(ctx, locked[i])
		if err == nil && reason == "" && read {
			reason, err = registries.damage(ctx, locked[i])
		}
		reasons[i] = reason
		return err
	})
	if err != nil {
		return nil, err
	}
	var defects []Defect
	for i, reason := range reasons {
		if reason != "" {
			defects = append(defects, Defect{Pair: pairs[i], Reason: reason})
		}
	}
	return defects, nil
}

func (c client) defect(ctx context.Context, want Locked) (string, error) {
	reference, err := c.Reference(want.Target)
	if err != nil {
		return "", err
	}
	found, err := remote.Get(reference, c.Options(ctx)...)
	if absent(err) {
		return "the image is missing", nil
	}
	if err != nil {
		return "", explain("read", want.Target, err)
	}
	if found.Digest.String() != want.Digest {
		if len(want.Platforms) > 0 && !found.MediaType.IsIndex() {
			return c.single(found, want)
		}
		return fmt.Sprintf("the digest is %s instead of %s: another image has this tag", found.Digest, want.Digest), nil
	}
	names := slices.Sorted(maps.Keys(want.Platforms))
	for _, platform := range names {
		if missing, err := c.missing(ctx, reference, want.Platforms[platform]); err != nil {
			return "", explain("read", want.Target, err)
		} else if missing {
			return fmt.Sprintf("platform %s is missing", platform), nil
		}
	}
	if lost, err := c.lost(ctx, reference, want.Digest); err != nil || lost != "" {
		if err != nil {
			return "", explain("read", want.Target, err)
		}
		return lost, nil
	}
	for _, digest := range want.Referrers {
		lost, err := c.lost(ctx, reference, digest)
		if err != nil {
			return "", explain("read", want.Target, err)
		}
		if lost != "" {
			return "of referrer " + digest + ": " + lost, nil
		}
	}
	return "", nil
}

// damage reads a target with its referrers, and returns what is wrong; "" if nothing is.
func (c client) damage(ctx context.Context, want Locked) (string, error) {
	reference, err := c.Reference(want.Target)
	if err != nil {
		return "", err
	}
	seen := map[string]bool{}
	for _, digest := range append([]string{want.Digest}, want.Referrers...) {
		if problem := c.unreadable(ctx, reference, digest, seen); problem != "" {
			return problem, ctx.Err()
		}
	}
	return "", nil
}

// single describes a target that has one platform instead of several.
func (c client) single(found *remote.Descriptor, want Locked) (string, error) {
	for platform, digest := range want.Platforms {
		if digest == found.Digest.String() {
			return fmt.Sprintf("only platform %s is there, %d are expected", platform, len(want.Platforms)), nil
		}
	}
	return fmt.Sprintf("the digest is %s, one platform only, instead of the list %s", found.Digest, want.Digest), nil
}

func (c client) missing(ctx context.Context, reference name.Reference, digest string) (bool, error) {
	_, err := remote.Head(reference.Context().Digest(digest), c.Options(ctx)...)
	if absent(err) {
		return true, nil
	}
	return false, err
}

func absent(err error) bool {
	var status *transport.Error
	return errors.As(err, &status) && status.StatusCode == http.StatusNotFound
}

// each calls do with the index of each pair, at most jobs (0: defaultJobs) in parallel, and returns a summary of the errors.
func each(ctx context.Context, pairs []mapping.Pair, jobs int, do func(context.Context, int) error) error {
	errs := make([]error, len(pairs))
	inTurns(ctx, len(pairs), jobs, func(ctx context.Context, i int) { errs[i] = do(ctx, i) })
	failures := slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	return summary(ctx, failures, len(pairs))
}

// inTurns calls do with each number below count, at most jobs (0: defaultJobs) in parallel, besides those that wait for a registry.
func inTurns(ctx context.Context, count, jobs int, do func(context.Context, int)) {
	if jobs <= 0 {
		jobs = defaultJobs
	}
	turns := make(registry.Turns, jobs)
	var group sync.WaitGroup
	for i := range count {
		taken, done := turns.Take(ctx)
		group.Go(func() {
			defer done()
			do(taken, i)
		})
	}
	group.Wait()
}
