package overridecmd

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"gitops-runtime/internal/cleantext"
	"gitops-runtime/internal/registry"
)

// waits prints the pauses that registries request: each long one when it begins, and the sum per registry at the end.
type waits struct {
	out   io.Writer
	mu    sync.Mutex
	count map[string]int
	total map[string]time.Duration
}

func newWaits(out io.Writer) *waits {
	return &waits{out: out, count: map[string]int{}, total: map[string]time.Duration{}}
}

// shownWait is the shortest pause that is printed when it begins.
const shownWait = time.Second

func (w *waits) report(wait registry.Wait) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count[wait.Host]++
	w.total[wait.Host] += wait.For
	if wait.For < shownWait {
		return
	}
	reason := "it limits requests"
	if wait.Asked {
		reason = "it asks for this pause"
	}
	_, _ = fmt.Fprintf(w.out, "waiting %s for %s: %s\n", wait.For.Round(time.Second), cleantext.Line(wait.Host), reason)
}

func (w *waits) finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	hosts := slices.Sorted(maps.Keys(w.count))
	for _, host := range hosts {
		_, _ = fmt.Fprintf(w.out, "waited for %s: %d pauses, %s in all\n", cleantext.Line(host), w.count[host], w.total[host].Round(time.Millisecond))
	}
}
