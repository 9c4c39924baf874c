package monitoring_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/tests/dashboards"
	"gitops-runtime/tests/render"
)

// target contains the labels that the Prometheus operator adds to each target of a ServiceMonitor. If a metric already has one of them, its own
// becomes exported_<label>: https://prometheus.io/docs/prometheus/latest/configuration/configuration/#scrape_config, honor_labels.
var target = []string{"namespace", "pod", "service", "job", "container", "endpoint", "instance"}

// query is a parsed query, the metrics that it is compared with, and the faults.
type query struct {
	metrics map[string]dashboards.Metric
	faults  []string
}

func (q *query) fault(format string, args ...any) {
	q.faults = append(q.faults, fmt.Sprintf(format, args...))
}

// labels returns the labels of the result of an expression; unknown metrics and labels are faults.
func (q *query) labels(node parser.Node) []string {
	switch node := node.(type) {
	case *parser.VectorSelector:
		return q.selector(node)
	case *parser.AggregateExpr:
		found := q.labels(node.Expr)
		for _, label := range node.Grouping {
			if !slices.Contains(found, label) {
				q.fault("%s is grouped by %s, which is none of %v", node.Expr, label, found)
			}
		}
		if node.Without {
			q.fault("%s: labels are named, not left out", node)
		}
		return node.Grouping
	}
	var all []string
	for _, child := range parser.Children(node) {
		all = append(all, q.labels(child)...)
	}
	return all
}

func (q *query) selector(selector *parser.VectorSelector) []string {
	if selector.Name == "up" {
		return q.matched(selector, target)
	}
	name, bucket := strings.CutSuffix(selector.Name, "_bucket")
	metric, known := q.metrics[name]
	if !known || bucket != (metric.Type == "histogram") {
		q.fault("no program exposes %s", selector.Name)
		return nil
	}
	found := slices.Clone(target)
	for _, label := range metric.Labels {
		if slices.Contains(target, label) && !metric.Pushed { // Pushgateways are scraped with honor_labels
			label = "exported_" + label
		}
		found = append(found, label)
	}
	if bucket {
		found = append(found, "le")
	}
	return q.matched(selector, found)
}

// matched compares the matchers of a selector with labels, which it returns; each query must select one namespace.
func (q *query) matched(selector *parser.VectorSelector, found []string) []string {
	scoped := false
	for _, matcher := range selector.LabelMatchers {
		scoped = scoped || matcher.Name == "namespace"
		if matcher.Name != "__name__" && !slices.Contains(found, matcher.Name) {
			q.fault("%s has no label %s", selector.Name, matcher.Name)
		}
	}
	if !scoped {
		q.fault("%s selects every namespace", selector.Name)
	}
	return found
}

var (
	dashboard = strings.NewReplacer("$namespace", "codefresh", "$__rate_interval", "5m")
	inLegend  = regexp.MustCompile(`\{\{(\w+)\}\}`)
	inText    = regexp.MustCompile(`\$labels\.(\w+)`)
)

// check returns the faults of a query whose result is shown with texts that contain labels.
func check(metrics map[string]dashboards.Metric, text string, named [][]string) []string {
	parsed, err := parser.ParseExpr(text)
	if err != nil {
		return []string{err.Error()}
	}
	q := &query{metrics: metrics}
	found := q.labels(parsed)
	for _, name := range named {
		if !slices.Contains(found, name[1]) {
			q.fault("%s is shown by %s, which is none of %v", text, name[1], found)
		}
	}
	return q.faults
}

func TestDashboards(t *testing.T) {
	t.Parallel()
	metrics, err := dashboards.Metrics()
	require.NoError(t, err)
	all, err := dashboards.Dashboards()
	require.NoError(t, err)
	seen := 0
	for _, of := range all {
		for _, panel := range of.Panels {
			seen++
			assert.Empty(t, check(metrics, dashboard.Replace(panel.Expr), inLegend.FindAllStringSubmatch(panel.Legend, -1)), "%s: %s", of.Title, panel.Title)
		}
	}
	assert.Greater(t, seen, 20)
}

func TestRules(t *testing.T) {
	t.Parallel()
	metrics, err := dashboards.Metrics()
	require.NoError(t, err)
	seen := 0
	for _, object := range (render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}, Set: map[string]string{"monitoring.enabled": "true"}}).Objects(t) {
		if object.GetKind() != "PrometheusRule" {
			continue
		}
		groups, _, err := unstructured.NestedSlice(object.Object, "spec", "groups")
		require.NoError(t, err)
		require.Len(t, groups, 1)
		rules, _, err := unstructured.NestedSlice(groups[0].(map[string]any), "rules")
		require.NoError(t, err)
		for _, one := range rules {
			seen++
			rule := one.(map[string]any)
			shown := fmt.Sprint(rule["annotations"])
			assert.Empty(t, check(metrics, rule["expr"].(string), inText.FindAllStringSubmatch(shown, -1)), rule["alert"])
			assert.Contains(t, rule["expr"], `namespace="codefresh"`)
			assert.NotContains(t, shown, "NAMESPACE")
		}
	}
	assert.Equal(t, 10, seen)
}

// check finds each fault that a query can found.
func TestFaults(t *testing.T) {
	t.Parallel()
	metrics, err := dashboards.Metrics()
	require.NoError(t, err)
	for text, want := range map[string]string{
		`sum(`:                                  "unclosed left parenthesis",
		`nothing{namespace="a"}`:                "no program exposes nothing",
		`argocd_app_reconcile{namespace="a"}`:   "no program exposes argocd_app_reconcile",
		`argocd_app_info{namespace="a", x="b"}`: "argocd_app_info has no label x",
		`argocd_app_info`:                       "argocd_app_info selects every namespace",
		`sum by (x) (up{namespace="a"})`:        "is grouped by x",
		`sum without (pod) (up{namespace="a"})`: "labels are named, not left out",
	} {
		assert.Contains(t, strings.Join(check(metrics, text, nil), "\n"), want, text)
	}
	assert.Contains(t, strings.Join(check(metrics, `sum by (pod) (up{namespace="a"})`, [][]string{{"", "service"}}), ""), "is shown by service")
}
