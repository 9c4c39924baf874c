//go:build !race

// These tests feed inputs to a process of its own, which is built without the race detector.

package main_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/hostile"
)

// fullPipe is the stage in which the program ignores signals.
const fullPipe = "a report to a pipe that nobody reads"

// stages are long-running stages of a run, during which a signal arrives.
var stages = map[string]struct {
	args func(g *ground) []string
	// blocking is a stage that ignores the context; the process ends after the grace period.
	blocking bool
}{
	"values from a pipe": {args: func(g *ground) []string {
		pipe := filepath.Join(g.folder, "pipe")
		require.NoError(g, syscall.Mkfifo(pipe, 0o600))
		return []string{"-f", pipe}
	}},
	"values from a server": {args: func(g *ground) []string { return []string{"-f", g.serve(silent)} }},
	"a chart from a registry": {args: func(g *ground) []string {
		host := strings.TrimPrefix(g.serve(silent), "http://")
		return append(g.values("a: 1\n"), "--chart", "oci://"+host+"/x:1.0.0", "--plain-http", host)
	}},
	"an exponential schema": {args: func(g *ground) []string { return g.chart("values.schema.json", doubling(60)) }},
	"a platform":            {args: func(g *ground) []string { return g.withPlatform(g.serve(silent)) }},
	"a Git server":          {args: func(g *ground) []string { return g.git("GITHUB", silent) }},
	fullPipe: {blocking: true, args: func(g *ground) []string {
		pipe := filepath.Join(g.folder, "pipe")
		require.NoError(g, syscall.Mkfifo(pipe, 0o600))
		reader, err := os.OpenFile(pipe, os.O_RDWR, 0)
		require.NoError(g, err)
		g.Cleanup(func() { _ = reader.Close() })
		_, err = reader.Write(make([]byte, 64<<10)) // all that a pipe holds: pipe(7)
		require.NoError(g, err)
		return append(g.values("a: 1\n"), "-o", "json="+pipe)
	}},
}

// silent sends no response.
func silent(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // the server detects a closed connection only after it has read the body
	select {
	case <-r.Context().Done():
	case <-time.After(time.Minute):
	}
}

// SIGINT and SIGTERM end the program within a second at any stage; a second signal ends it immediately.
func TestSecurityReview7Signals(t *testing.T) {
	program := hostile.Build(t, ".")
	for stage, running := range stages {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			t.Run(fmt.Sprint(signal, " during ", stage), func(t *testing.T) {
				requireFastest(t, time.Second, func() time.Duration {
					g := &ground{T: t, folder: t.TempDir()}
					end := hostile.Interrupt(t, program, g.folder, append(running.args(g), "-n", "codefresh", "--no-cluster"), signal)
					want := []int{1, 2, 3, 5}
					if running.blocking {
						want = []int{128 + int(signal)}
					}
					assert.Contains(t, want, end.Code, hostile.Clip(end.Text))
					return end.Took
				})
			})
		}
	}
	t.Run("a second signal", func(t *testing.T) {
		requireFastest(t, 500*time.Millisecond, func() time.Duration {
			g := &ground{T: t, folder: t.TempDir()}
			end := hostile.Interrupt(t, program, g.folder, append(stages[fullPipe].args(g), "-n", "codefresh", "--no-cluster"), syscall.SIGTERM, syscall.SIGINT)
			// a busy machine delivers both at once, in either order
			assert.Contains(t, []int{128 + int(syscall.SIGINT), 128 + int(syscall.SIGTERM)}, end.Code, hostile.Clip(end.Text))
			return end.Took
		})
	})
}
