// Package progress reports which steps of a command are running and how long they took.
package progress

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Observer is notified when a step begins and when it ends. Steps may run in parallel, so an implementation must support concurrent calls.
type Observer interface {
	Begin(step string)
	End(step string, took time.Duration, err error)
}

// Step runs do and reports it to the observer; the observer may be nil.
func Step(observer Observer, name string, do func() error) error {
	if observer == nil {
		return do()
	}
	observer.Begin(name)
	start := time.Now()
	err := do()
	observer.End(name, time.Since(start), err)
	return err
}

// Lines returns an observer that writes one line for each finished step, with its duration in seconds. A step that takes longer than a few seconds
// also gets a line while it is in progress.
func Lines(out io.Writer) Observer {
	return &lines{out: out, delay: 4 * time.Second, running: map[string]*time.Timer{}}
}

type lines struct {
	mu      sync.Mutex
	out     io.Writer
	delay   time.Duration
	running map[string]*time.Timer
}

func (l *lines) Begin(step string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running[step] = time.AfterFunc(l.delay, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.running[step] != nil {
			fmt.Fprintf(l.out, "   ...   %s\n", step)
		}
	})
}

func (l *lines) End(step string, took time.Duration, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if timer := l.running[step]; timer != nil {
		timer.Stop()
		delete(l.running, step)
	}
	outcome := ""
	if err != nil {
		outcome = ": failed"
	}
	fmt.Fprintf(l.out, "%7.1fs %s%s\n", took.Seconds(), step, outcome)
}
