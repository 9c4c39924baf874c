package chartrender

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/template"
)

// tickFunc is the function that instrumented loops call; it prints nothing.
const tickFunc = "boundedTurn"

// Limits of one render: above what any chart needs, and low enough that a malicious one cannot exhaust the machine.
const (
	maxOutput = 24 << 20 // bytes
	// MaxManifests is the maximum number of rendered manifests.
	MaxManifests = 20_000
	maxTicks     = 1_000_000
	maxCount     = 1_000_000
)

// budget counts what one render uses. The context limits it, too.
type budget struct {
	ctx     context.Context
	ticks   int
	written int
	err     error
}

func (b *budget) reset(ctx context.Context) { *b = budget{ctx: ctx} }

func (b *budget) exceed(format string, args ...any) error {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
	return b.err
}

// tick counts one iteration of a loop or one call of a template; it returns an error once a limit is exceeded.
func (b *budget) tick() (string, error) {
	if b.ticks++; b.ticks > maxTicks {
		return "", b.exceed("the template takes more than %d steps; that is an endless loop or no chart", maxTicks)
	}
	if b.ticks%256 == 0 && b.ctx.Err() != nil {
		b.err = b.ctx.Err()
		return "", b.err
	}
	return "", b.err
}

// text is a strings.Builder that counts against the budget.
type text struct {
	strings.Builder
	budget *budget
}

func (b *budget) writer() *text { return &text{budget: b} }

func (t *text) Write(data []byte) (int, error) {
	if t.budget.written += len(data); t.budget.written > maxOutput {
		return 0, t.budget.exceed("the templates write more than %d MiB", maxOutput>>20)
	}
	return t.Builder.Write(data)
}

// boundedFuncs returns replacements for functions of sprig whose result can be huge for one large number.
func boundedFuncs() template.FuncMap {
	tooMany := func(name string) error {
		return fmt.Errorf("%s makes more than %d items", name, maxCount)
	}
	steps := func(name string, start, stop, step int) ([]int, error) {
		list := []int{}
		if step == 0 || (stop-start)*step < 0 {
			return list, nil
		}
		if (stop-start)/step > maxCount {
			return nil, tooMany(name)
		}
		for i := start; (step > 0 && i < stop) || (step < 0 && i > stop); i += step {
			list = append(list, i)
		}
		return list, nil
	}
	return template.FuncMap{
		"repeat": func(count int, text string) (string, error) {
			if count < 0 {
				return "", errors.New("repeat needs a number of at least 0")
			}
			if count*len(text) > maxOutput || count > maxOutput {
				return "", fmt.Errorf("repeat makes more than %d MiB", maxOutput>>20)
			}
			return strings.Repeat(text, count), nil
		},
		"until": func(count any) ([]int, error) {
			n := toInt(count)
			if n < 0 {
				return steps("until", 0, n, -1)
			}
			return steps("until", 0, n, 1)
		},
		"untilStep": func(start, stop, step int) ([]int, error) { return steps("untilStep", start, stop, step) },
	}
}
