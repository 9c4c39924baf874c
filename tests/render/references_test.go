package render_test

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"gitops-runtime/tests/render"
)

// No object refers to an object of a disabled component.
func TestNoReferencesToDisabledComponents(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]map[string]string{
		"argo-cd":          {"argo-cd.enabled": "false"},
		"argo-events":      {"argo-events.enabled": "false"},
		"argo-rollouts":    {"argo-rollouts.enabled": "false"},
		"argo-workflows":   {"argo-workflows.enabled": "false", "app-proxy.image-enrichment.enabled": "false"},
		"workflows server": {"argo-workflows.server.enabled": "false"},
		"operator":         {"gitops-operator.enabled": "false"},
		"redis":            {"redis.enabled": "true"},
		"external redis":   {"argo-cd.externalRedis.host": "redis.example.com", "argo-cd.redis.enabled": "false"},
		"external argo-cd": {"argo-cd.enabled": "false", "global.integrations.argo-cd.server.svc": "argocd-server.argocd"},
		"one namespace":    {"global.runtime.singleNamespace": "true"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := maps.Clone(set)
			set["global.networkPolicy.restrictEgress"] = "true"
			objects := umbrella("tunnel", set).Objects(t)
			assert.Empty(t, dangling(objects))
		})
	}
}

// address matches the address of a Service in the release's namespace.
var address = regexp.MustCompile(`([a-z0-9-]+)\.codefresh\.svc`)

// dangling returns references to objects that do not exist: selectors, roles, service accounts, targets of autoscalers and of nginx.
func dangling(objects []render.Object) (found []string) {
	lacks := func(kind, name string) bool { return render.Find(objects, kind, name) == nil }
	selects := func(selector map[string]string) bool {
		// pods that users, controllers and other releases create
		foreign := slices.ContainsFunc([]string{"controller", "argocd-client", "argocd-source", "eventsource-name", "sensor-name"}, func(label string) bool {
			return selector[label] != ""
		})
		return foreign || slices.ContainsFunc(objects, func(object render.Object) bool {
			pod, _, _ := unstructured.NestedStringMap(object.Object, "spec", "template", "metadata", "labels")
			if object.GetKind() == "Pod" {
				pod = object.GetLabels()
			}
			return labels.SelectorFromSet(selector).Matches(labels.Set(pod))
		})
	}
	for _, object := range objects {
		at := object.GetKind() + "/" + object.GetName()
		switch object.GetKind() {
		case "Service":
			if selector, some, _ := unstructured.NestedStringMap(object.Object, "spec", "selector"); some && !selects(selector) {
				found = append(found, at+" has no pods")
			}
		case "RoleBinding", "ClusterRoleBinding":
			role := object.Object["roleRef"].(map[string]any)
			if lacks(role["kind"].(string), role["name"].(string)) {
				found = append(found, at+" has no role")
			}
			for _, subject := range object.Object["subjects"].([]any) {
				named := subject.(map[string]any)
				if named["kind"] == "ServiceAccount" && lacks("ServiceAccount", named["name"].(string)) {
					found = append(found, at+" has no service account")
				}
			}
		case "HorizontalPodAutoscaler":
			kind, _, _ := unstructured.NestedString(object.Object, "spec", "scaleTargetRef", "kind")
			if target, _, _ := unstructured.NestedString(object.Object, "spec", "scaleTargetRef", "name"); lacks(kind, target) {
				found = append(found, at+" has no target")
			}
		case "NetworkPolicy", "PodDisruptionBudget":
			for _, selector := range selectors(object.Object["spec"]) {
				if !selects(selector) {
					found = append(found, at+" selects no pods by "+labels.Set(selector).String())
				}
			}
		case "ConfigMap":
			text, _, _ := unstructured.NestedString(object.Object, "data", "nginx.conf")
			for _, target := range address.FindAllStringSubmatch(text, -1) {
				if lacks("Service", target[1]) {
					found = append(found, at+" routes to "+target[0])
				}
			}
		}
	}
	return found
}

// selectors returns the matchLabels of every podSelector and selector without a namespaceSelector beside it, at any depth.
func selectors(value any) (found []map[string]string) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			found = append(found, selectors(item)...)
		}
	case map[string]any:
		for key, item := range value {
			matching, there, _ := unstructured.NestedStringMap(value, key, "matchLabels")
			if (key == "podSelector" || key == "selector") && there && value["namespaceSelector"] == nil {
				found = append(found, matching)
				continue
			}
			found = append(found, selectors(item)...)
		}
	}
	return found
}
