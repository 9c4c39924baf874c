//go:build e2e && nightly

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
	truth "gitops-runtime/tests/preview"
	"gitops-runtime/validator/preview"
)

// upgradesVariable sets the number of upgrades that TestPreview previews.
const (
	upgradesVariable = "E2E_UPGRADES"
	usualUpgrades    = 50
)

// previewed is a release whose upgrades are previewed, and what has been compared so far.
type previewed struct {
	tools
	state
	random   *rand.Rand
	scores   truth.Scores
	upgrades int
	longest  time.Duration // of previews
	largest  int64         // memory of previews, in KiB
}

// TestPreview previews upgrades and compares each preview with what the upgrade does: which objects it creates, deletes and replaces, whose pods it
// restarts, whether it is refused, and which Services do not respond meanwhile. It begins with releases of what the published chart renders; random
// changes of values, access modes and earlier commits of the charts follow.
func TestPreview(t *testing.T) {
	count := variable(t, upgradesVariable, usualUpgrades, strconv.Atoi)
	e := start(t)
	defer e.clean(t)
	p := &previewed{tools: e.tools(t), random: seeded(t), scores: truth.Scores{}}
	for _, from := range []upgradeFrom{{to: images.Tunnel}, {mode: "ingress", to: images.Ingress}, {mode: "httproute", to: images.Gateway}, {mode: "mesh", to: images.Mesh}}[:min(4, 1+count/15)] {
		e.clean(t)
		require.True(t, e.run(t, "published "+from.mode, func(t *testing.T) {
			e.installPublished(t, from)
			p.state = p.initial(from.to, e.ready)
			p.upgrade(t, "published "+from.mode, p.state)
		}))
	}
	p.run(t, "extras", func(t *testing.T) { p.upgrade(t, "extras", p.withExtras(t)) })
	deck := p.deck(t)
	for p.upgrades < count {
		if len(deck) == 0 {
			deck = p.deck(t)
		}
		card := deck[0]
		deck = deck[1:]
		p.run(t, fmt.Sprintf("upgrade %d", p.upgrades+1), func(t *testing.T) { card(t, p) })
	}
	t.Logf("%d upgrades; a preview took at most %.1f s and %d MiB\n%s", p.upgrades, p.longest.Seconds(), p.largest>>10, p.scores)
	for effect, score := range p.scores {
		assert.Empty(t, score.Misses, effect)
	}
}

// run is a subtest that leaves evidence when it fails. The environment's method of the same name is hidden by that of tools.
func (p *previewed) run(t *testing.T, name string, test func(*testing.T)) {
	p.environment.run(t, name, test)
}

// upgrade previews an upgrade to a state, upgrades, and compares. After a refused upgrade, the release is rolled back.
func (p *previewed) upgrade(t *testing.T, name string, to state) {
	p.upgrades++
	files := to.files(t)
	predicted, report := p.predict(t, to.chart, files)
	before := p.snapshot(t)
	sent := p.ping(t, report)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	var out strings.Builder
	err := p.local.Helm.Upgrade(ctx, install.Upgrade{
		Release: install.Release, Chart: to.chart, Namespace: install.Namespace, ValueFiles: files, Timeout: 5 * time.Minute,
	}, &out)
	if err != nil {
		p.rollBack(t)
		require.NotRegexp(t, "timed out|deadline exceeded", out.String(), "pods are not ready, so nothing is known about them")
		t.Logf("refused: %s", out.String())
	} else {
		p.state = to
		eventually(t, "every rollout is complete", 3*time.Minute, p.settled)
	}
	sent.stop(t)
	p.mapper.Reset()
	observed := truth.Observed(before, p.snapshot(t), err != nil)
	title := fmt.Sprintf("%d %s", p.upgrades, name)
	p.scores.Add(title, predicted, observed)
	if err == nil {
		p.scores.AddGaps(title, sent.predicted, sent.measured)
	}
	t.Logf("%s: %d objects created, %d deleted; restarted %v; refused %t; gaps of %v, %v; so far:\n%s",
		title, len(observed.Created), len(observed.Deleted), observed.Restarted, observed.Refused, sent.measured, sent.outages, p.scores)
}

// predict runs the preview.
func (p *previewed) predict(t *testing.T, chart string, files []string) (truth.Effects, preview.Report) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "preview.json")
	args := []string{"preview", "--namespace", install.Namespace, "--release", install.Release, "--chart", chart, "-o", "json=" + file}
	for _, values := range files {
		args = append(args, "-f", values)
	}
	begun := time.Now()
	code, out, used := p.measured(t.Context(), t, args...)
	p.longest, p.largest = max(p.longest, time.Since(begun)), max(p.largest, used.Maxrss)
	if code == 2 { // it does not render
		require.Contains(t, out, "does not render", out)
		return truth.Effects{Refused: true}, preview.Report{}
	}
	require.Zero(t, code, out)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var report preview.Report
	require.NoError(t, json.Unmarshal(text, &report))
	return truth.Predicted(report), report
}

// measured runs the program, and returns its exit code, its output and what it used.
func (p *previewed) measured(ctx context.Context, t *testing.T, args ...string) (int, string, *syscall.Rusage) {
	t.Helper()
	ended, out := p.process(ctx, t, args...)
	used, _ := ended.SysUsage().(*syscall.Rusage)
	return ended.ExitCode(), out, used
}

// rollBack returns to the deployed revision, which also deletes what a refused upgrade has created by then.
func (p *previewed) rollBack(t *testing.T) {
	t.Helper()
	_, err := p.shell(t.Context(), again)
	require.NoError(t, err)
	eventually(t, "every rollout is complete", 3*time.Minute, p.settled)
}
