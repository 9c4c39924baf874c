package render_test

import (
	"testing"

	"gitops-runtime/tests/render"
)

// Empty values override defaults and globals, also where maps are merged.
func TestEmptyValuesAreNotSwallowed(t *testing.T) {
	t.Parallel()
	pod := "spec/template/"
	labels := func(kind string) map[string]string {
		return map[string]string{"global." + kind: `{"team": "a"}`, "server." + kind: `{"team": ""}`}
	}
	spread := func(selector string) map[string]string {
		return map[string]string{"server.topologySpreadConstraints": `[{"maxSkew": 1, "topologyKey": "a", "whenUnsatisfiable": "DoNotSchedule"` + selector + `}]`}
	}
	route := func(rules string) map[string]string {
		return map[string]string{"server.httproute.enabled": "true", "server.httproute.rules": rules}
	}
	reporter := func(of string, set map[string]string, path string, want any) valueCase {
		return valueCase{of, "gitops-runtime", set, "Deployment", "runtime-event-reporter", pod + "spec/" + path, want}
	}
	overrides := map[string]string{
		"global.event-reporters.nodeSelector": `{"pool": "a"}`, "global.event-reporters.affinity": `{"podAntiAffinity": {}}`,
		"event-reporters.runtime-event-reporter.nodeSelector": `{}`, "event-reporters.runtime-event-reporter.affinity": `{}`,
	}
	ingress := map[string]string{"server.ingress.enabled": "true", "server.ingress.hosts": `["a"]`, "server.ingress.paths": `[]`}
	for _, test := range []valueCase{
		{"pod label", "argo-cd", labels("podLabels"), "Deployment", "cf-argocd-server", pod + "metadata/labels/team", ""},
		{"pod annotation", "argo-cd", labels("podAnnotations"), "Deployment", "cf-argocd-server", pod + "metadata/annotations/team", ""},
		{"label of a Deployment", "argo-cd", labels("deploymentLabels"), "Deployment", "cf-argocd-server", "metadata/labels/team", ""},
		{"annotation of a Deployment", "argo-cd", labels("deploymentAnnotations"), "Deployment", "cf-argocd-server", "metadata/annotations/team", ""},
		{"selector of a spread constraint", "argo-cd", spread(`, "labelSelector": {}`), "Deployment", "cf-argocd-server", pod + "spec/topologySpreadConstraints/0/labelSelector", map[string]any{}},
		{"no selector of a spread constraint", "argo-cd", spread(""), "Deployment", "cf-argocd-server", pod + "spec/topologySpreadConstraints/0/labelSelector/matchLabels", map[string]any{"app.kubernetes.io/instance": "cf", "app.kubernetes.io/name": "argocd-server"}},
		{"rule with empty backendRefs", "argo-cd", route(`[{"backendRefs": []}]`), "HTTPRoute", "cf-argocd-server", "spec/rules/0/backendRefs", []any{}},
		{"rule without backendRefs", "argo-cd", route(`[{}]`), "HTTPRoute", "cf-argocd-server", "spec/rules/0/backendRefs/0/name", "cf-argocd-server"},
		{"affinity of the replicated Redis", "argo-cd", map[string]string{"redis-ha.enabled": "true", "redis-ha.affinity": `{}`}, "StatefulSet", "cf-argocd-redis-ha-server", pod + "spec/affinity", absent{}},
		{"workers", "argo-workflows", map[string]string{"controller.workflowWorkers": "0"}, "Deployment", "cf-argo-workflows-workflow-controller", pod + "spec/containers/0/args/5", "--workflow-workers=0"},
		{"paths of an Ingress", "argo-workflows", ingress, "Ingress", "cf-argo-workflows-server", "spec/rules/0/http", absent{}},
		{"account of image enrichment", "gitops-runtime", map[string]string{"app-proxy.image-enrichment.serviceAccount.annotations": `{"a": ""}`}, "ServiceAccount", "codefresh-image-enrichment-sa", "metadata/annotations/a", ""},
		reporter("node labels of a reporter", overrides, "nodeSelector", absent{}),
		reporter("affinity of a reporter", overrides, "affinity", absent{}),
		reporter("node labels of all reporters", map[string]string{"global.event-reporters.nodeSelector": `{"pool": "a"}`}, "nodeSelector", map[string]any{"pool": "a"}),
	} {
		t.Run(test.chart+" "+test.title, func(t *testing.T) {
			t.Parallel()
			release := render.Release{Chart: test.chart, SetJSON: test.set}
			if test.chart == "gitops-runtime" {
				release.Files = []string{"tunnel"}
			}
			assertValue(t, release.Objects(t), test)
		})
	}
}

// A probe that a component does not define by default uses the handler of its other probe, or the handler from values.
func TestProbesThatAComponentDoesNotHave(t *testing.T) {
	t.Parallel()
	for title, c := range map[string]struct {
		json string
		want any
	}{
		"settings only":   {`{"failureThreshold": 30}`, map[string]any{"failureThreshold": 30.0, "httpGet": map[string]any{"path": "/healthz", "port": "http-health"}}},
		"a handler":       {`{"exec": {"command": ["true"]}}`, map[string]any{"exec": map[string]any{"command": []any{"true"}}}},
		"disabled":        {`{"enabled": false, "failureThreshold": 30}`, absent{}},
		"an empty object": {`{}`, absent{}},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			objects := render.Release{Chart: "gitops-runtime", Files: []string{"tunnel"}, SetJSON: map[string]string{"gitops-operator.startupProbe": c.json}}.Objects(t)
			assertValue(t, objects, valueCase{kind: "Deployment", name: "gitops-operator", path: "spec/template/spec/containers/0/startupProbe", want: c.want})
		})
	}
}
