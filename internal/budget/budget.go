// Package budget limits the resources that one run uses for files that it did not write, such as charts, archives and values. Everything that is read
// for one run shares one Budget, so that a thousand small files cost no more than a large one, and an archive in an archive no more than one archive.
//
// A reader of archives wraps the unpacked stream in Reader, which also counts what it skips; a reader of YAML or JSON calls YAML before it parses a
// text; code that descends into a chart's dependencies calls Enter, which finds cycles. The context limits the time: Reader ends with it.
package budget

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
)

// Limits are the limits of a Budget.
type Limits struct {
	// Bytes is the number of bytes that are read and unpacked, including templates and skipped files.
	Bytes int64
	// Nodes is the number of keys and values of YAML and JSON texts; those behind an alias count as often as it is used.
	Nodes int64
	// Copies is the number of bytes of texts that the aliases of YAML stand for, each as often as it is used: a parser may copy a text for every use.
	Copies int64
	// Nesting is the maximum number of levels of maps and lists in one text.
	Nesting int
	// Depth is the maximum number of charts nested within each other.
	Depth int
}

// Default returns the limits for a chart with its dependencies. Large public charts, and this repository's umbrella chart, use less than a fifth of
// them.
func Default() Limits {
	return Limits{Bytes: 64 << 20, Nodes: 500_000, Copies: 8 << 20, Nesting: 100, Depth: 8}
}

// Error reports that an input exceeds a limit. Its text names the input and the limit.
type Error struct {
	// Name is the input: a file, or an entry of an archive.
	Name string
	// Flaw describes the exceeded limit, as in "it has more than 64 MiB".
	Flaw string
}

// Error returns the name of the input and the flaw.
func (e *Error) Error() string { return e.Name + ": " + e.Flaw }

func exceeded(name, format string, args ...any) error {
	return &Error{Name: name, Flaw: fmt.Sprintf(format, args...)}
}

// Budget is what remains of the limits. It may be shared by goroutines.
type Budget struct {
	limits Limits
	bytes  *atomic.Int64
	nodes  *atomic.Int64
	copies *atomic.Int64
	path   []string
}

// New returns an unused budget.
func New(limits Limits) *Budget {
	return &Budget{limits: limits, bytes: &atomic.Int64{}, nodes: &atomic.Int64{}, copies: &atomic.Int64{}}
}

// Enter returns the budget for one more level of nesting. The key identifies the entered chart, for example by its directory with links resolved; a
// key that is already on the path is a cycle, and an error. The new budget has its own path and shares everything else with this one.
func (b *Budget) Enter(key string) (*Budget, error) {
	switch {
	case slices.Contains(b.path, key):
		return nil, exceeded(key, "it contains itself through its dependencies")
	case len(b.path) >= b.limits.Depth:
		return nil, exceeded(key, "charts are nested more than %d levels deep", b.limits.Depth)
	}
	below := *b
	below.path = append(slices.Clip(b.path), key)
	return &below, nil
}

// Take counts bytes, and returns an error if they exceed the limit.
func (b *Budget) Take(name string, bytes int64) error {
	if bytes < 0 || b.bytes.Add(bytes) > b.limits.Bytes {
		return exceeded(name, "the files read for one run have more than %d MiB when unpacked", b.limits.Bytes>>20)
	}
	return nil
}

// Reader returns a reader that counts what is read through it. It fails when the budget is exceeded or the context ends.
func (b *Budget) Reader(ctx context.Context, name string, from io.Reader) io.Reader {
	return &reader{ctx: ctx, budget: b, name: name, from: from}
}

// Read reads everything from a reader, within the budget.
func (b *Budget) Read(ctx context.Context, name string, from io.Reader) ([]byte, error) {
	return io.ReadAll(b.Reader(ctx, name, from))
}

type reader struct {
	ctx    context.Context //nolint:containedctx // io.Reader has no other way to receive one
	budget *Budget
	name   string
	from   io.Reader
}

func (r *reader) Read(into []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, fmt.Errorf("%s: reading was interrupted: %w", r.name, err)
	}
	n, err := r.from.Read(into)
	if n > 0 {
		if over := r.budget.Take(r.name, int64(n)); over != nil {
			return 0, over
		}
	}
	return n, err
}
