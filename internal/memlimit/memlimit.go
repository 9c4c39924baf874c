// Package memlimit ends a program that uses more memory than its work needs, because the memory that untrusted templates use cannot be limited in
// advance.
package memlimit

import (
	"fmt"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// every is the interval at which the memory is measured.
const every = 5 * time.Millisecond

// Watch makes the garbage collector keep the heap below a number of bytes, and calls exceeded once, with a description, when heap and stacks exceed the
// maximum nevertheless. If GOMEMLIMIT is set, the collector uses that limit, and the maximum is a quarter above it. Stacks alone may use a quarter of
// the maximum: endless recursion doubles them.
func Watch(soft, most int64, exceeded func(what string)) {
	if given := debug.SetMemoryLimit(-1); given != math.MaxInt64 {
		soft, most = given, given+given/4
	}
	debug.SetMemoryLimit(soft)
	go func() {
		used := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
		for range time.Tick(every) {
			metrics.Read(used)
			heap, stacks := int64(used[0].Value.Uint64()), int64(used[1].Value.Uint64()) //nolint:gosec // no machine has that much
			switch {
			case stacks > most/4:
				exceeded(fmt.Sprintf("%d MiB of stack", most>>22))
				return
			case heap+stacks > most:
				exceeded(fmt.Sprintf("%d MiB of memory", most>>20))
				return
			}
		}
	}()
}
