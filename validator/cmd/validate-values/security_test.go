package main_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/hostile"
)

// The tests of this file are named after the rows of the security review that
// concern this program; each fails on the program as it was reviewed.

// playNamed runs the program on malicious inputs by their names.
func playNamed(t *testing.T, names ...string) {
	t.Helper()
	program := hostile.Build(t, ".")
	all := slices.Concat(hostileValues, hostileFlags, hostileCharts, hostileRegistries, hostilePlatforms, hostileGit)
	for _, name := range names {
		at := slices.IndexFunc(all, func(one input) bool { return one.name == name })
		require.GreaterOrEqual(t, at, 0, "there is no input %q", name)
		t.Run(name, func(t *testing.T) { all[at].play(t, program) })
	}
}

func TestSecurityReview7UnboundedInput(t *testing.T) {
	playNamed(t, "archives within archives", "a chart that depends on itself", "charts that depend on each other",
		"a long key above a list", "aliases of aliases", "a chart with millions of values")
}

func TestSecurityReview8RawControlCharacters(t *testing.T) {
	playNamed(t, "escape characters in a name", "a command of a pipeline in a name", "a change of direction in a name",
		"names with escape characters", "an account with a command for an id", "a name with control characters")
}

func TestSecurityReview9PlainHTTP(t *testing.T) {
	playNamed(t, "a platform without TLS", "a platform without TLS and its finding left out")
}

func TestSecurityReview11OutputsFollowLinks(t *testing.T) {
	playNamed(t, "a report in place of a link")
}

func TestSecurityReview12SchemasAndPasswords(t *testing.T) {
	playNamed(t, "a schema on the network", "a password in the address of a values file", "a password in the public URL")
}

// stages are what a run can be busy with when a signal arrives; each would take long.
var stages = map[string]struct {
	args func(g *ground) []string
	// deaf is a stage that ignores the context; the grace period ends it.
	deaf bool
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
	"a schema that doubles": {args: func(g *ground) []string { return g.chart("values.schema.json", doubling(60)) }},
	"a platform":            {args: func(g *ground) []string { return g.asks(g.serve(silent)) }},
	"a Git server":          {args: func(g *ground) []string { return g.git("GITHUB", silent) }},
	"a report that is never read": {deaf: true, args: func(g *ground) []string {
		pipe := filepath.Join(g.folder, "pipe")
		require.NoError(g, syscall.Mkfifo(pipe, 0o600))
		return append(g.values("a: 1\n"), "-o", "json="+pipe)
	}},
}

// silent never answers.
func silent(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // only then is it noticed that the client has gone
	select {
	case <-r.Context().Done():
	case <-time.After(time.Minute):
	}
}

// SIGINT and SIGTERM end the program within a second at any stage, a second signal immediately.
func TestSecurityReview7Signals(t *testing.T) {
	program := hostile.Build(t, ".")
	for stage, busy := range stages {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			t.Run(fmt.Sprint(signal, " during ", stage), func(t *testing.T) {
				best(t, time.Second, func() time.Duration { // what others do on the machine counts, too
					g := &ground{T: t, folder: t.TempDir()}
					end := hostile.Interrupt(t, program, g.folder, append(busy.args(g), "-n", "codefresh", "--no-cluster"), signal)
					want := []int{1, 2, 3, 5}
					if busy.deaf {
						want = []int{128 + int(signal)}
					}
					assert.Contains(t, want, end.Code, hostile.Clip(end.Text))
					return end.Took
				})
			})
		}
	}
	t.Run("a second signal", func(t *testing.T) {
		best(t, 500*time.Millisecond, func() time.Duration {
			g := &ground{T: t, folder: t.TempDir()}
			end := hostile.Interrupt(t, program, g.folder, append(stages["a report that is never read"].args(g), "-n", "codefresh", "--no-cluster"), syscall.SIGTERM, syscall.SIGINT)
			assert.Equal(t, 128+int(syscall.SIGINT), end.Code, hostile.Clip(end.Text))
			return end.Took
		})
	})
}
