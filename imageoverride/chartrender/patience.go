package chartrender

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gitops-runtime/internal/process"
)

// DefaultRenderTime is the CPU time that the first render with each engine may take.
const DefaultRenderTime = 30 * time.Second

// A render with other values may take extraTimes what the first one with the same engine took, and leastTime more.
const (
	extraTimes = 10
	leastTime  = 5 * time.Second
)

// work is what a time limit is for.
type work string

const (
	ownEngine   work = "rendering it"
	helmsEngine work = "rendering it with Helm"
	schemaWork  work = "checking its values"
)

// TooLong is the error for a chart that exceeds a time limit.
type TooLong struct {
	what  work
	limit time.Duration
	first time.Duration
}

func (t *TooLong) Error() string {
	if t.first > 0 {
		return fmt.Sprintf("%s with other values takes more than %s of CPU time, and took %s at first; allow more with --render-time", t.what, t.limit.Round(time.Second), t.first.Round(10*time.Millisecond))
	}
	return fmt.Sprintf("%s takes more than %s of CPU time; allow more with --render-time", t.what, t.limit)
}

// patience limits the time of work that cannot be canceled: a function of templates, Helm's engine, a schema. Work is abandoned only if CPU time and
// elapsed time both exceed the limit, since other work affects each of them.
type patience struct {
	limit time.Duration // of every piece of work, if the user sets it
	first map[work]time.Duration
	lost  error // why work was abandoned
	// extend adds to the CPU time that the process may use; may be nil.
	extend func(time.Duration)
}

// most returns the limit for one piece of work.
func (p *patience) most(what work) *TooLong {
	first, known := p.first[what]
	switch {
	case p.limit > 0:
		return &TooLong{what: what, limit: p.limit}
	case known:
		return &TooLong{what: what, limit: leastTime*slowness + extraTimes*first, first: first}
	}
	return &TooLong{what: what, limit: DefaultRenderTime}
}

// within waits for work until the context ends or it has taken too long. Abandoned work may still use the renderer, so the renderer must not be used
// from then on.
func (p *patience) within(ctx context.Context, what work, do func() error) error {
	if err := errors.Join(p.lost, ctx.Err()); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		var err error
		defer func() { done <- err }()
		defer process.ContainPanic(&err)
		err = do()
	}()
	start, used, most := time.Now(), process.CPUTime(), p.most(what)
	if p.extend != nil {
		// This limit replaces that of the process meanwhile; what a render is used for later takes no longer than the render.
		p.extend(most.limit)
		defer func() { p.extend(2*(process.CPUTime()-used) - most.limit) }()
	}
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case err := <-done:
			if _, known := p.first[what]; !known && err == nil {
				p.learn(what, process.CPUTime()-used)
			}
			return err
		case <-ctx.Done():
			p.lost = ctx.Err()
			return p.lost
		case <-ticker.C:
			if time.Since(start) > most.limit && process.CPUTime()-used > most.limit {
				p.lost = most
				return p.lost
			}
		}
	}
}

func (p *patience) learn(what work, took time.Duration) {
	if p.first == nil {
		p.first = map[work]time.Duration{}
	}
	p.first[what] = took
}
