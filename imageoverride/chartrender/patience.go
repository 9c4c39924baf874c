package chartrender

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gitops-runtime/internal/contain"
)

// maxTime is the limit for one render or one schema validation, in CPU time and elapsed time: many times what the largest charts take. Work is
// abandoned only if both exceed it, since other work affects each of them.
const maxTime = 2 * time.Second * slowness

// maxProof is the limit for Helm's engine with values that were rendered before: the templates terminate, and Helm's engine copies more.
const maxProof = 2 * maxTime

// ErrTooLong is the error for a chart that exceeds the time limit.
var ErrTooLong = fmt.Errorf("it takes more than %s of CPU time, which no chart needs", maxTime)

// patience limits the time of work that cannot be canceled: a function of templates, Helm's engine, a schema.
type patience struct {
	lost error // why work was abandoned
}

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
	start, used := time.Now(), processors()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			p.lost = ctx.Err()
			return p.lost
		case <-ticker.C:
			if time.Since(start) > most && processors()-used > most {
				p.lost = ErrTooLong
				return p.lost
			}
		}
	}
}
