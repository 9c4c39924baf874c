//go:build e2e && nightly

package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"gitops-runtime/tests/e2e/cost"
	"gitops-runtime/tests/e2e/images"
	"gitops-runtime/tests/e2e/install"
)

// sampleEvery is the time between samples: a kubelet has new ones every ten seconds or so.
const sampleEvery = 5 * time.Second

// restsFor is how long TestScale observes Applications that do not change.
const restsFor = 2 * time.Minute

// sizes are the amounts of work in TestScale.
type sizes struct {
	applications               []int // one step after the other
	workflows, events, sources int   // events a minute; for 0 neither events nor event sources
	minutes                    int   // of events
}

// TestScale increases the load of a runtime, and prints the duration of each step and the usage of every container: the tables of docs/scale.md.
// With E2E_VALUES the runtime has the values of that file.
func TestScale(t *testing.T) {
	wanted := sizes{
		applications: numbers(t, "E2E_APPLICATIONS", 100, 500), workflows: variable(t, "E2E_WORKFLOWS", 200, strconv.Atoi),
		events: variable(t, "E2E_EVENTS", 1000, strconv.Atoi), minutes: 3, sources: variable(t, "E2E_SOURCES", 50, strconv.Atoi),
	}
	e := start(t)
	defer e.clean(t)
	require.True(t, e.run(t, "install", func(t *testing.T) { e.installScaled(t, os.Getenv("E2E_VALUES")) }))
	s := &scale{access: e.access(t, images.Tunnel)}
	defer s.report(t)
	s.step(t, "idle", func(t *testing.T) {
		time.Sleep(time.Minute) // a fixed time: the idle usage is measured
	})
	s.prepareApplications(t)
	for i, count := range wanted.applications {
		s.step(t, fmt.Sprintf("%d Applications", count), func(t *testing.T) { s.createApplications(t, slices.Concat([]int{0}, wanted.applications)[i], count) })
		s.step(t, fmt.Sprintf("a commit for %d", count), func(t *testing.T) { s.commitToApplications(t, count) })
	}
	s.step(t, "all at rest", func(t *testing.T) {
		time.Sleep(restsFor) // a fixed time: Argo CD compares with Git repeatedly, although nothing changes
	})
	s.step(t, fmt.Sprintf("%d Workflows", wanted.workflows), func(t *testing.T) { s.runWorkflows(t, wanted.workflows) })
	if wanted.events == 0 {
		return
	}
	s.prepareEvents(t)
	s.step(t, fmt.Sprintf("%d events a minute", wanted.events), func(t *testing.T) { s.sendEvents(t, wanted.events, wanted.minutes) })
	s.step(t, fmt.Sprintf("%d event sources", wanted.sources), func(t *testing.T) { s.createSources(t, wanted.sources) })
}

// numbers reads numbers, separated by commas, from an environment variable.
func numbers(t *testing.T, variable string, usual ...int) []int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return usual
	}
	var all []int
	for part := range strings.SplitSeq(text, ",") {
		number, err := strconv.Atoi(part)
		require.NoError(t, err, "%s is not numbers separated by commas", variable)
		all = append(all, number)
	}
	return all
}

// installScaled installs the runtime in tunnel mode, with the values of a file, if one is named.
func (e *environment) installScaled(t *testing.T, values string) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute) // images that no registry has are built first
	defer cancel()
	ready, err := e.local.Prepare(ctx, images.Tunnel)
	require.NoError(t, err)
	var files []string
	if values != "" {
		if !filepath.IsAbs(values) {
			values = filepath.Join(e.local.Root, values)
		}
		files = []string{values}
	}
	require.NoError(t, e.local.Install(ctx, images.Tunnel, ready, files, nil))
	e.mapper.Reset()
}

// scale is a runtime whose load increases in each step.
type scale struct {
	access
	steps []cost.Step
	took  []string
}

// step measures a step.
func (s *scale) step(t *testing.T, name string, do func(*testing.T)) {
	t.Helper()
	before, timed := s.containersRestarted(t), s.timed(t)
	recorder := cost.Record(t.Context(), s.client, sampleEvery, install.Namespace, metav1.NamespaceSystem)
	begun := time.Now()
	passed := s.run(t, name, do)
	took := time.Since(begun)
	t.Logf("%s: in Argo CD's application controller\n%s", name, since(timed, s.timed(t)))
	used, err := recorder.Stop(t.Context())
	require.NoError(t, err)
	s.steps = append(s.steps, cost.Step{Name: name, Usages: grouped(used)})
	var restarted []string
	for container, count := range s.containersRestarted(t) {
		if was := before[container]; count > was {
			restarted = append(restarted, container)
		}
	}
	slices.Sort(restarted)
	s.took = append(s.took, fmt.Sprintf("| %s | %.0f s | %s |", name, took.Seconds(), strings.Join(restarted, ", ")))
	require.True(t, passed, "the step %s", name)
}

// grouped counts the pods of all event sources of a step as those of one workload; the one that uses most represents them.
func grouped(usages []cost.Usage) []cost.Usage {
	var all []cost.Usage
	sources := cost.Usage{Workload: "e2e-source", Container: "main"}
	for _, usage := range usages {
		if !strings.HasPrefix(usage.Workload, sources.Workload+"-") || strings.Contains(usage.Workload, "-sensor-") {
			all = append(all, usage)
			continue
		}
		sources.Pods += usage.Pods
		sources.CPU, sources.Memory = max(sources.CPU, usage.CPU), max(sources.Memory, usage.Memory)
	}
	if sources.Pods > 0 {
		all = append(all, sources)
	}
	return all
}

// containersRestarted returns how often each container of the runtime's namespace was restarted.
func (s *scale) containersRestarted(t *testing.T) map[string]int32 {
	t.Helper()
	pods, err := s.client.CoreV1().Pods(install.Namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	found := map[string]int32{}
	for _, pod := range pods.Items {
		for _, container := range pod.Status.ContainerStatuses {
			found[pod.Name+"/"+container.Name] = container.RestartCount
		}
	}
	return found
}

// report prints the duration and the usage of every step.
func (s *scale) report(t *testing.T) {
	var out strings.Builder
	out.WriteString("\n| step | took | restarted |\n| --- | ---: | --- |\n" + strings.Join(s.took, "\n") + "\n\n")
	require.NoError(t, cost.WriteSteps(&out, s.steps))
	t.Log(out.String())
}

// until is like eventually, with a longer interval for expensive conditions.
func (s *scale) until(t *testing.T, what string, timeout time.Duration, condition func(context.Context) error) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), 2*time.Second, timeout, true, func(ctx context.Context) (bool, error) {
		last = condition(ctx)
		return last == nil, nil
	})
	require.NoError(t, err, "%s: not within %s: %v", what, timeout, last)
}
