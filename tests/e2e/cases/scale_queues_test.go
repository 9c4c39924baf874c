//go:build e2e && nightly

package e2e_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// durations are the number and the total seconds of a timed operation of Argo CD's application controller.
type durations struct{ count, seconds float64 }

// timed returns the durations of what Applications wait for: queues, the work on them, and the rate limit of requests to the API server.
func (s *scale) timed(t *testing.T) map[string]durations {
	t.Helper()
	found := map[string]durations{}
	families := s.scrape(t, "argo-cd-application-controller")
	for family, what := range map[string]string{
		"workqueue_queue_duration_seconds": "waits in", "workqueue_work_duration_seconds": "work on",
		"argocd_kubectl_rate_limiter_duration_seconds": "waits for the rate limit of the API server",
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

// since describes how often operations were timed since before, and how long they took on average.
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
