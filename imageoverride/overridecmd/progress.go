package overridecmd

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"gitops-runtime/imageoverride/mirror"
	"gitops-runtime/internal/cleantext"
)

// progress prints a bar on a terminal, otherwise one line per image.
type progress struct {
	out io.Writer
	bar bool
}

func newProgress(out io.Writer) *progress {
	file, ok := out.(*os.File)
	return &progress{out: out, bar: ok && term.IsTerminal(int(file.Fd()))}
}

const barWidth = 30

func (p *progress) report(event mirror.Event) {
	line := fmt.Sprintf("%s %s -> %s", event.Outcome, event.Pair.Source, event.Pair.Target)
	if event.Err != nil {
		line = fmt.Sprintf("failed: %v", event.Err)
	}
	line = cleantext.Line(line)
	if !p.bar {
		_, _ = fmt.Fprintf(p.out, "[%d/%d] %s\n", event.Done, event.Total, line)
		return
	}
	filled := barWidth * event.Done / event.Total
	bar := strings.Repeat("#", filled) + strings.Repeat("-", barWidth-filled)
	_, _ = fmt.Fprintf(p.out, "\r\x1b[K%s\n[%s] %d/%d", line, bar, event.Done, event.Total)
}

// Steps of a run that takes long are printed at this distance: on a terminal, and in other output.
const (
	shownStep  = time.Second
	loggedStep = 15 * time.Second
)

// steps returns a function that prints the steps of a run that takes long.
func steps(out io.Writer) func(string) {
	last, distance := time.Now(), loggedStep
	if newProgress(out).bar {
		distance = shownStep
	}
	return func(step string) {
		if time.Since(last) >= distance {
			last = time.Now()
			_, _ = fmt.Fprintln(out, cleantext.Line(step)+" ...")
		}
	}
}

func (p *progress) finish() {
	if p.bar {
		_, _ = fmt.Fprintln(p.out)
	}
}
