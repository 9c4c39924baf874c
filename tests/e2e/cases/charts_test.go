//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/chartutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/e2e/install"
)

// aloneChart is one of Argo's charts, with the tests that it works.
type aloneChart struct {
	install.Chart
	// helm is the version of Helm that installs it; empty for bin/helm.
	helm string
	// preset means that it has its values of values-restricted.yaml, without which the level restricted does not admit the pods that users start.
	preset bool
	// pods are the ready pods of each workload, with the default values and with those for high availability; actual names start with the release.
	pods, available map[string]int32
	// before is what a user of the community's chart has, in YAML; definitions are the files of the definitions of kinds in that chart.
	before, definitions string
	// lasting creates what every round needs; works uses the chart, once per round.
	lasting func(alone, *testing.T)
	works   func(alone, *testing.T, string)
}

// alone is a chart in a namespace without other charts.
type alone struct {
	*environment
	chart     aloneChart
	namespace string
	// files are the values files of every round: the one that points to the private registry, and that of the preset.
	files []string
}

func aloneCharts() []aloneChart {
	return []aloneChart{rolloutsAlone(), workflowsAlone(), eventsAlone(), cdAlone()}
}

// TestCharts installs each of the Argo charts separately in a namespace, with its defaults over a release with the names of the community chart,
// nightly also with the values for high availability, and tests it each time; all charts at the same time, since they share nothing. The namespaces
// enforce the Pod Security level restricted. After all have been uninstalled, only Argo's CRDs are left outside of namespaces.
func TestCharts(t *testing.T) {
	e := start(t)
	before := e.inventory(t)
	charts := make([]alone, 0, len(aloneCharts()))
	for _, chart := range aloneCharts() {
		charts = append(charts, e.prepareAlone(t, chart))
	}
	t.Run("alone", func(t *testing.T) {
		for _, a := range charts {
			e.run(t, a.chart.Name, func(t *testing.T) {
				t.Parallel()
				a.lifecycle(t)
			})
			if a.chart.Name == "argo-events" {
				e.helmVersionsRecover(t, a.files[0])
			}
		}
	})
	e.run(t, "nothing left", func(t *testing.T) {
		eventually(t, "objects with owners are deleted", time.Minute, func(ctx context.Context) error {
			outside, err := e.list(ctx, "")
			if left := withoutDefinitions(without(outside, before)); err == nil && len(left) > 0 {
				err = fmt.Errorf("left outside any namespace: %v", left)
			}
			return err
		})
	})
}

// prepareAlone gets the images of a chart.
func (e *environment) prepareAlone(t *testing.T, chart aloneChart) alone {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute) // images that cannot be pulled are built first
	defer cancel()
	images, err := e.local.PrepareChart(ctx, chart.Chart)
	require.NoError(t, err)
	files := []string{images}
	if chart.preset {
		preset, err := chartutil.ReadValuesFile(filepath.Join(e.local.Root, "charts", "gitops-runtime", "values-restricted.yaml"))
		require.NoError(t, err)
		values, err := preset.Table(chart.Name)
		require.NoError(t, err)
		text, err := values.YAML()
		require.NoError(t, err)
		files = append(files, file(t, text))
	}
	if chart.helm != "" {
		e = e.by(chart.helm)
	}
	return alone{environment: e, chart: chart, namespace: "e2e-" + chart.Name, files: files}
}

// lifecycle installs the chart, tests it in each round, and uninstalls it.
func (a alone) lifecycle(t *testing.T) {
	a.environment.namespace(t, a.namespace)
	t.Cleanup(func() { a.uninstallRelease(t) })
	var before map[string]string
	if !a.run(t, "community", func(t *testing.T) { before = a.installCommunity(t) }) {
		return
	}
	a.applyHere(t, a.filled(a.chart.before))
	kept := a.kept(t)
	if !a.run(t, "default", func(t *testing.T) { a.install(t, a.chart.pods) }) {
		return
	}
	a.run(t, "in place", func(t *testing.T) {
		assert.Subset(t, a.workloadIDs(t, a.namespace), before)
		assert.Subset(t, a.kept(t), kept)
	})
	if a.chart.lasting != nil {
		a.chart.lasting(a, t)
	}
	a.run(t, "default works", func(t *testing.T) { a.chart.works(a, t, "default") })
	a.run(t, "default, nothing forbidden", func(t *testing.T) { a.nothingForbidden(t, a.namespace) })
	if !nightly { // TestResilience has the umbrella's values for high availability
		return
	}
	if !a.run(t, "ha", func(t *testing.T) { a.install(t, a.chart.available, a.local.Scenario(a.chart.Chart, "ha")) }) {
		return
	}
	a.run(t, "ha works", func(t *testing.T) { a.chart.works(a, t, "ha") })
	a.run(t, "ha, nothing forbidden", func(t *testing.T) { a.nothingForbidden(t, a.namespace) })
}

// install installs or upgrades the chart and waits until its workloads have exactly the expected pods.
func (a alone) install(t *testing.T, pods map[string]int32, valueFiles ...string) {
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Minute)
	defer cancel()
	require.NoError(t, a.local.Helm.Upgrade(ctx, install.Upgrade{
		Release: aloneRelease, Chart: a.local.Path(a.chart.Chart), Namespace: a.namespace,
		ValueFiles: append(valueFiles, a.files...), Timeout: 5 * time.Minute,
	}, t.Output()))
	eventually(t, "every workload has its pods", 2*time.Minute, func(ctx context.Context) error {
		ready, err := a.readyPods(ctx)
		if err == nil && !maps.Equal(ready, pods) {
			err = fmt.Errorf("ready pods are %v and not %v", ready, pods)
		}
		return err
	})
	a.mapper.Reset()
}

// readyPods counts the ready pods of the release, by workload.
func (a alone) readyPods(ctx context.Context) (map[string]int32, error) {
	own := metav1.ListOptions{LabelSelector: "app.kubernetes.io/instance=" + aloneRelease}
	deployments, err := a.client.AppsV1().Deployments(a.namespace).List(ctx, own)
	if err != nil {
		return nil, err
	}
	sets, err := a.client.AppsV1().StatefulSets(a.namespace).List(ctx, own)
	if err != nil {
		return nil, err
	}
	ready := map[string]int32{}
	for _, deployment := range deployments.Items {
		ready[strings.TrimPrefix(deployment.Name, aloneRelease+"-")] = deployment.Status.ReadyReplicas
	}
	for _, set := range sets.Items {
		ready[strings.TrimPrefix(set.Name, aloneRelease+"-")] = set.Status.ReadyReplicas
	}
	return ready, nil
}

// uninstallRelease uninstalls the chart.
func (a alone) uninstallRelease(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	assert.NoError(t, a.local.Helm.Uninstall(ctx, aloneRelease, a.namespace, 3*time.Minute, t.Output()))
}
