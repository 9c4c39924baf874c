//go:build e2e && scale

package e2e_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// durations are how often something of Argo CD's application controller was timed, and the seconds in all.
type durations struct{ count, seconds float64 }

// timed are the durations that say what Applications wait for: their place in a queue, the work on them, and leave to send a request to the API server.
func (s *scale) timed(t *testing.T) map[string]durations {
	t.Helper()
	found := map[string]durations{}
	families := s.scrape(t, "argo-cd-application-controller")
	for family, what := range map[string]string{
		"workqueue_queue_duration_seconds": "waits in", "workqueue_work_duration_seconds": "work on",
		"argocd_kubectl_rate_limiter_duration_seconds": "waits for leave to ask the API server",
	} {
		for _, metric := range families[family].GetMetric() {
			name := what
			for _, label := range metric.Label {
				if label.GetName() == "name" {
					name += " " + label.GetValue()
				}
			}
			all := found[name]
			all.count += float64(metric.GetHistogram().GetSampleCount())
			all.seconds += metric.GetHistogram().GetSampleSum()
			found[name] = all
		}
	}
	return found
}

// since says how often something was timed since before, and how long it took on average.
func since(before, now map[string]durations) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(now)) {
		count, seconds := now[name].count-before[name].count, now[name].seconds-before[name].seconds
		if count > 0 {
			lines = append(lines, fmt.Sprintf("%.0f %s: %.2f s each", count, name, seconds/count))
		}
	}
	return strings.Join(lines, "\n")
}
