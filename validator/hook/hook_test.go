package hook_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"gitops-runtime/validator/cluster"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
	"gitops-runtime/validator/hook"
	"gitops-runtime/validator/report"
)

func made(levels ...findings.Level) report.Report {
	result := engine.Result{Code: "ABC100", Status: engine.Failed}
	for _, level := range levels {
		result.Findings = append(result.Findings, findings.Finding{Code: "ABC1" + string(level[0]), Level: level, Message: "It is so.", Fix: "do this"})
	}
	return report.Report{Results: []engine.Result{result}}
}

func TestMessage(t *testing.T) {
	cases := []struct{ got, want string }{
		{hook.Message(made(), 100), "1 checks: 1 failed"},
		{hook.Message(made(findings.Warn), 100), "1 checks: 1 failed"},
		{hook.Message(made(findings.Inconclusive, findings.Warn, findings.Fail), 200), "ABC1f ABC1i\nABC1f: It is so. Fix: do this\nABC1i: It is so. Fix: do this"},
		{hook.Message(made(findings.Fail), 20), "ABC1f\nABC1f: It i..."},
	}
	for _, c := range cases {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestALongMessageFitsAndStaysText(t *testing.T) {
	long := made()
	for range 300 {
		long.Results[0].Findings = append(long.Results[0].Findings, findings.Finding{Code: "ABC101", Level: findings.Fail, Message: strings.Repeat("ü", 40)})
	}
	for limit := hook.MessageLimit - 4; limit <= hook.MessageLimit; limit++ {
		if got := hook.Message(long, limit); len(got) > limit || !utf8.ValidString(got) || !strings.HasPrefix(got, "ABC101 ") {
			t.Errorf("limit %d: %d bytes, valid %v", limit, len(got), utf8.ValidString(got))
		}
	}
}

func TestLeave(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	require.NoError(t, hook.Leave(file, made(findings.Fail)))
	if text, _ := os.ReadFile(file); !strings.HasPrefix(string(text), "ABC1f\n") {
		t.Errorf("got %q", text)
	}
	if err := hook.Leave("", made()); err != nil {
		t.Error(err)
	}
	if err := hook.Leave(filepath.Join(file, "x"), made()); err == nil {
		t.Error("a message that cannot be written is an error")
	}
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
	if err := hook.Announce(ctx, to, "ns", "job", made(findings.Fail)); err != nil {
		t.Error(err)
	}
	if to.event.Name != "job" || to.event.Namespace != "ns" || to.event.Kind != "Job" || !strings.HasPrefix(to.event.Message, "ABC1f\n") || len(to.event.Message) > 1024 {
		t.Errorf("got %+v", to.event)
	}
	if err := hook.Announce(ctx, &announcer{err: errors.New("no")}, "ns", "job", made()); err == nil || err.Error() != "event: no" {
		t.Errorf("got %v", err)
	}
}
