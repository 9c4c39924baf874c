package chartrender

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gitops-runtime/internal/contain"
)

// maxTime is the limit for one render or one schema validation, in CPU time and by the clock: many times what the largest charts take. Only if both
// exceed it is it this work that takes so long.
const maxTime = 2 * time.Second * slowness

// maxProof is the limit for Helm's engine with values that were rendered before: their templates terminate, and that engine copies more.
const maxProof = 2 * maxTime

// ErrTooLong is the error for a chart that takes longer.
var ErrTooLong = fmt.Errorf("it takes more than %s of CPU time, which no chart needs", maxTime)

// patience is how long the renderer waits for work that cannot be canceled: a function of templates, Helm's engine, a schema.
type patience struct{ lost error }

// within waits for work until the context ends or it has taken too long. Abandoned work may still use the renderer, so the renderer must not be used
// from then on.
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
