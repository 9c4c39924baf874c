package engine_test

import (
	"context"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"gitops-runtime/internal/helmvalues"
	"gitops-runtime/validator/engine"
	"gitops-runtime/validator/findings"
)

func finds(level findings.Level) func(context.Context) engine.Outcome {
	return func(context.Context) engine.Outcome {
		return engine.Outcome{Findings: []findings.Finding{{Code: "ABC101", Level: level}}}
	}
}

func passes(context.Context) engine.Outcome { return engine.Outcome{} }

func statuses(results []engine.Result) map[string]string {
	found := map[string]string{}
	for _, result := range results {
		text := string(result.Status)
		if result.Reason != "" {
			text += ": " + result.Reason
		}
		found[result.Code] = text
	}
	return found
}

func TestRun(t *testing.T) {
	lacks := func(context.Context) engine.Outcome { return engine.Outcome{Lacks: "a cluster"} }
	warnsAndLacks := func(context.Context) engine.Outcome {
		outcome := finds(findings.Warn)(context.Background())
		outcome.Lacks = "a user"
		return outcome
	}
	idle := func(context.Context) engine.Outcome { return engine.Outcome{Skip: "nothing to do"} }
	table := []engine.Check{
		{Code: "A", Needs: []string{"E"}, Run: passes},
		{Code: "B", Needs: []string{"C"}, Run: passes},
		{Code: "C", Run: finds(findings.Fail)},
		{Code: "D", Needs: []string{"B"}, Run: passes},
		{Code: "E", Run: finds(findings.Warn)},
		{Code: "F", Run: finds(findings.Inconclusive)},
		{Code: "G", Run: lacks}, {Code: "H", Needs: []string{"G"}, Run: passes},
		{Code: "I", Run: idle}, {Code: "J", Needs: []string{"I"}, Run: passes},
		{Code: "K", Run: passes},
		{Code: "L", Needs: []string{"undefined"}, Run: passes},
		{Code: "M", Run: warnsAndLacks}, {Code: "N", Needs: []string{"M"}, Run: passes},
		{Code: "O", After: []string{"M", "C", "undefined"}, Run: passes},
	}
	got := statuses(engine.Run(context.Background(), table, engine.Options{Skip: map[string]string{"K": "--skip"}}))
	want := map[string]string{
		"A": "pass", "B": "skipped: needs C", "C": "fail", "D": "skipped: needs B", "E": "warn", "F": "inconclusive",
		"G": "skipped: needs a cluster", "H": "skipped: needs G", "I": "skipped: nothing to do", "J": "pass",
		"K": "skipped: on request: --skip", "L": "pass",
		"M": "warn", "N": "skipped: needs M", "O": "pass",
	}
	assert.Equal(t, want, got)
}

// A skipped failure does not satisfy the checks that need it; a skipped warning does.
func TestASkippedFindingDoesNotSatisfyANeed(t *testing.T) {
	table := []engine.Check{
		{Code: "A", Run: finds(findings.Fail)}, {Code: "B", Needs: []string{"A"}, Run: passes},
		{Code: "C", Run: finds(findings.Warn)}, {Code: "D", Needs: []string{"C"}, Run: passes},
	}
	got := statuses(engine.Run(context.Background(), table, engine.Options{Skip: map[string]string{"ABC101": "--skip"}}))
	want := map[string]string{
		"A": "skipped: left out on request: ABC101 --skip", "B": "skipped: needs A",
		"C": "skipped: left out on request: ABC101 --skip", "D": "pass",
	}
	assert.Equal(t, want, got)
}

func TestAPanicIsReportedByItsCheck(t *testing.T) {
	table := []engine.Check{
		{Code: "RUN100", Title: "A holds", Run: func(context.Context) engine.Outcome { panic("a secret value") }},
		{Code: "B", Needs: []string{"RUN100"}, Run: passes},
		{Code: "C", Run: passes},
	}
	results := engine.Run(context.Background(), table, engine.Options{})
	want := map[string]string{"RUN100": "inconclusive", "B": "skipped: needs RUN100", "C": "pass"}
	assert.Equal(t, want, statuses(results))
	finding := results[0].Findings[0]
	assert.Equal(t, "A holds? Unknown: a fault at engine_test.go:N (string), which is a bug.", regexp.MustCompile(`:[0-9]+ `).ReplaceAllString(finding.Message, ":N "))
	assert.Equal(t, "RUN100", finding.Code)
}

// blocking is a check that ignores its context.
func blocking(context.Context) engine.Outcome {
	time.Sleep(10 * time.Second)
	return engine.Outcome{}
}

func TestABlockingCheckEndsAtItsDeadline(t *testing.T) {
	table := []engine.Check{
		{Code: "A", Title: "A holds", Deadline: 20 * time.Millisecond, Run: blocking},
		{Code: "B", Needs: []string{"A"}, Run: passes},
		{Code: "C", Run: passes},
	}
	start := time.Now()
	results := engine.Run(context.Background(), table, engine.Options{})
	took := time.Since(start)
	assert.LessOrEqual(t, took, 5*time.Second, "took %s", took)
	want := map[string]string{"A": "inconclusive", "B": "skipped: needs A", "C": "pass"}
	assert.Equal(t, want, statuses(results))
	assert.Equal(t, "A holds? Unknown: no answer within 20ms.", results[0].Findings[0].Message)
}

func TestAnInterruptedRunReportsWhatItHas(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	table := []engine.Check{
		{Code: "A", Run: func(context.Context) engine.Outcome { close(done); return engine.Outcome{} }},
		{Code: "B", Title: "B holds", Needs: []string{"A"}, Run: func(ctx context.Context) engine.Outcome { cancel(); <-ctx.Done(); return engine.Outcome{} }},
		{Code: "C", Needs: []string{"B"}, Run: passes},
		{Code: "D", After: []string{"A", "B"}, Run: passes},
	}
	results := engine.Run(ctx, table, engine.Options{})
	<-done
	want := map[string]string{"A": "pass", "B": "inconclusive", "C": "skipped: needs B", "D": "skipped: needs B"}
	assert.Equal(t, want, statuses(results))
	assert.Equal(t, "B holds? Unknown: the run was interrupted.", results[1].Findings[0].Message)
}

func TestTheWholeRunHasADeadline(t *testing.T) {
	place := helmvalues.Place{Value: "url", File: "values.yaml", Line: 3, Column: 5}
	table := []engine.Check{{Code: "A", Title: "A holds", Essential: true, About: func() helmvalues.Place { return place }, Run: blocking}}
	results := engine.Run(context.Background(), table, engine.Options{Deadline: 20 * time.Millisecond})
	assert.Equal(t, place, results[0].Findings[0].Place)
	assert.Equal(t, "A holds? Unknown: the time for the whole run was over.", results[0].Findings[0].Message)
	assert.True(t, results[0].Essential)
}
