package hook_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/hook"
	"gitops-runtime/validator/report"
)

func reportOf(levels ...findings.Level) report.Report {
	result := engine.Result{Code: "ABC100", Status: engine.Failed}
	for _, level := range levels {
		result.Findings = append(result.Findings, findings.Finding{Code: "ABC1" + string(level[0]), Level: level, Message: "It is so.", Fix: "do this"})
	}
	return report.Report{Results: []engine.Result{result}}
}

func TestMessage(t *testing.T) {
	cases := []struct{ got, want string }{
		{hook.Message(reportOf(), 100), "1 checks: 1 failed"},
		{hook.Message(reportOf(findings.Warn), 100), "1 checks: 1 failed"},
		{hook.Message(reportOf(findings.Inconclusive, findings.Warn, findings.Fail), 200), "ABC1f ABC1i\nABC1f: It is so. Fix: do this\nABC1i: It is so. Fix: do this"},
		{hook.Message(reportOf(findings.Fail), 20), "ABC1f\nABC1f: It i..."},
	}
	for _, c := range cases {
		assert.Equal(t, c.want, c.got)
	}
}

func TestALongMessageIsTruncatedAtARune(t *testing.T) {
	long := reportOf()
	for range 300 {
		long.Results[0].Findings = append(long.Results[0].Findings, findings.Finding{Code: "ABC101", Level: findings.Fail, Message: strings.Repeat("ü", 40)})
	}
	for limit := hook.MessageLimit - 4; limit <= hook.MessageLimit; limit++ {
		got := hook.Message(long, limit)
		assert.LessOrEqual(t, len(got), limit, "limit %d: %d bytes, valid %v", limit, len(got), utf8.ValidString(got))
		assert.True(t, utf8.ValidString(got), "limit %d: %d bytes, valid %v", limit, len(got), utf8.ValidString(got))
		assert.True(t, strings.HasPrefix(got, "ABC101 "), "limit %d: %d bytes, valid %v", limit, len(got), utf8.ValidString(got))
	}
}

func TestLeave(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	require.NoError(t, hook.Leave(file, reportOf(findings.Fail)))
	text, _ := os.ReadFile(file)
	assert.True(t, strings.HasPrefix(string(text), "ABC1f\n"))
	assert.NoError(t, hook.Leave("", reportOf()))
	assert.Error(t, hook.Leave(filepath.Join(file, "x"), reportOf()), "a write failure is an error")
}

type announcer struct {
	event cluster.Event
	err   error
}

func (a *announcer) Report(ctx context.Context, event cluster.Event) error {
	a.event = event
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return a.err
}

func TestAnnounce(t *testing.T) {
	ctx := context.Background()
	to := &announcer{}
	assert.NoError(t, hook.Announce(ctx, to, "ns", "job", reportOf(findings.Fail)))
	assert.Equal(t, "job", to.event.Name)
	assert.Equal(t, "ns", to.event.Namespace)
	assert.Equal(t, "Job", to.event.Kind)
	assert.True(t, strings.HasPrefix(to.event.Message, "ABC1f\n"))
	assert.LessOrEqual(t, len(to.event.Message), 1024)
	err := hook.Announce(ctx, &announcer{err: errors.New("no")}, "ns", "job", reportOf())
	assert.EqualError(t, err, "event: no")
}
