// Package process is how the programs begin and end: they stop on signals, turn a panic in one part of a run into an error, and end when they use more
// memory or CPU time than their work needs, since what untrusted templates and files cost cannot always be limited in advance.
package process

import (
	"fmt"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"
)

// every is the interval at which memory and CPU time are measured.
const every = 5 * time.Millisecond

// Limits are what a run may use.
type Limits struct {
	// Soft is the number of bytes below which the garbage collector keeps the heap, if it can.
	Soft int64
	// Memory is the maximum number of bytes of heap and stacks. Stacks alone may use a quarter of it: endless recursion doubles them.
	Memory int64
	// CPU is the maximum CPU time; 0 means no limit.
	CPU time.Duration
}

// Watch calls exceeded once, with a description such as "200 MiB of memory", when the process exceeds its limits. If GOMEMLIMIT is set, the collector
// uses that limit, and the maximum is a quarter above it. The returned function adds to the CPU time, for work with a limit of its own.
func Watch(limits Limits, exceeded func(what string)) (extend func(time.Duration)) {
	if given := debug.SetMemoryLimit(-1); given != math.MaxInt64 {
		limits.Soft, limits.Memory = given, given+given/4
	}
	debug.SetMemoryLimit(limits.Soft)
	var extra atomic.Int64
	go func() {
		used := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
		for range time.Tick(every) {
			metrics.Read(used)
			heap, stacks := int64(used[0].Value.Uint64()), int64(used[1].Value.Uint64()) //nolint:gosec // no machine has that much
			switch {
			case stacks > limits.Memory/4:
				exceeded(fmt.Sprintf("%d MiB of stack", limits.Memory>>22))
				return
			case heap+stacks > limits.Memory:
				exceeded(fmt.Sprintf("%d MiB of memory", limits.Memory>>20))
				return
			}
			if most := limits.CPU + time.Duration(extra.Load()); limits.CPU > 0 && CPUTime() > most {
				exceeded(fmt.Sprintf("%s of CPU time", most.Round(100*time.Millisecond)))
				return
			}
		}
	}()
	return func(more time.Duration) { extra.Add(int64(more)) }
}
