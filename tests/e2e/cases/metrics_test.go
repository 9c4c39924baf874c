//go:build e2e

package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gitops-runtime/tests/dashboards"
	"gitops-runtime/tests/e2e/install"
)

// metrics checks that the programs expose what dashboards and rules query, with the types and labels of tests/dashboards/metrics.yaml. Metrics that
// are exposed only after an event may be absent.
func (e *environment) metrics(t *testing.T) {
	table, err := dashboards.Metrics()
	require.NoError(t, err)
	exposed := map[string]map[string]*dto.MetricFamily{}
	for _, metric := range table {
		for _, program := range metric.Programs {
			if exposed[program] == nil {
				exposed[program] = e.scrape(t, program)
			}
		}
	}
	for name, metric := range table {
		if metric.Pushed {
			continue
		}
		labels := map[string]bool{}
		for _, program := range metric.Programs {
			family := exposed[program][name]
			if family == nil {
				assert.NotNil(t, metric.Source, "%s does not expose %s", program, name)
				continue
			}
			assert.Equal(t, metric.Type, strings.ToLower(family.GetType().String()), "%s of %s", name, program)
			for _, one := range family.Metric {
				for _, label := range one.Label {
					labels[label.GetName()] = true
				}
			}
		}
		have := slices.Sorted(maps.Keys(labels))
		if metric.Source == nil {
			assert.ElementsMatch(t, metric.Labels, have, "the labels of %s", name)
			continue
		}
		assert.Subset(t, metric.Labels, have, "the labels of %s", name)
	}
}

// scrape reads the metrics of a program's first pod from its metrics port.
func (e *environment) scrape(t *testing.T, program string) map[string]*dto.MetricFamily {
	t.Helper()
	pods, err := e.client.CoreV1().Pods(install.Namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "status.phase=Running"})
	require.NoError(t, err)
	for _, pod := range pods.Items {
		port := metricsPort(pod)
		if port == "" || !strings.HasPrefix(pod.Name, program+"-") {
			continue
		}
		var text []byte
		eventually(t, program+" exposes metrics", 30*time.Second, func(ctx context.Context) error {
			text, err = e.client.CoreV1().Pods(install.Namespace).ProxyGet("http", pod.Name, port, "/metrics", nil).DoRaw(ctx)
			return err
		})
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
		require.NoError(t, err, program)
		return families
	}
	require.Fail(t, fmt.Sprintf("no pod of %s has a port for metrics", program))
	return nil
}

// metricsPort returns the number of a pod's metrics port, empty if it has none.
func metricsPort(pod corev1.Pod) string {
	for _, container := range pod.Spec.Containers {
		for _, port := range container.Ports {
			if strings.HasSuffix(port.Name, "metrics") {
				return strconv.Itoa(int(port.ContainerPort))
			}
		}
	}
	return ""
}
