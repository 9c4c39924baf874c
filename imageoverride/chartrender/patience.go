package chartrender

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gitops-runtime/internal/contain"
)

// maxTime is what one render or one look at the schemas may take, of the
// processors and by the clock: many times what the largest charts take. Only
// both together mean that it is this work that takes so long.
const maxTime = 2 * time.Second * slowness

// maxProof is what Helm's engine may take of values that were rendered before:
// their templates end, and that engine copies more.
const maxProof = 2 * maxTime

// ErrTooLong is what a chart gets that takes longer.
var ErrTooLong = fmt.Errorf("it takes more than %s of CPU time, which no chart needs", maxTime)

// patience is how long the renderer waits for work that nothing can stop: a
// function of templates, Helm's engine, a schema.
type patience struct{ lost error }

// within waits for work until the context ends or it has taken too long. What
// was given up may still use the renderer, so that is of no use from then on.
func (p *patience) within(ctx context.Context, most time.Duration, work func() error) error {
	if err := errors.Join(p.lost, ctx.Err()); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() { done <- err }()
		defer contain.Panic(&err)
		err = work()
	}()
	begun, used := time.Now(), processors()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			p.lost = ctx.Err()
			return p.lost
		case <-look.C:
			if time.Since(begun) > most && processors()-used > most {
				p.lost = ErrTooLong
				return p.lost
			}
		}
	}
}
