package published

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

//go:embed community.yaml
var communityFacts string

// communityChart is the entry of a chart of argo-helm in community.yaml. Names of workloads and Services follow the prefix.
type communityChart struct {
	Prefix    string              `json:"prefix"`
	Name      string              `json:"name"` // Name is the first part of app.kubernetes.io/name.
	Workloads []communityWorkload `json:"workloads"`
	Services  []communityService  `json:"services"`
	Accounts  []string            `json:"accounts"`
	// Bindings and ClusterBindings are the account that has the role of the same name.
	Bindings        map[string]string `json:"bindings"`
	ClusterBindings map[string]string `json:"clusterBindings"`
	ConfigMaps      []string          `json:"configMaps"`
	Secrets         []string          `json:"secrets"`
}

type communityWorkload struct {
	Kind                 string           `json:"kind"`
	Name                 string           `json:"name"`
	Account              string           `json:"account"`
	Component            string           `json:"component"` // Component is a label that it selects by, too.
	Ports                map[string]int64 `json:"ports"`
	Replicas             int64            `json:"replicas"`
	RevisionHistoryLimit int64            `json:"revisionHistoryLimit"`
	ByNameAlone          bool             `json:"byNameAlone"`
	Recreate             bool             `json:"recreate"`
}

type communityService struct {
	Name    string           `json:"name"`
	Ports   map[string]int64 `json:"ports"`
	Targets map[string]any   `json:"targets"`
}

// Community returns the objects of a release of one of argo-helm's charts with its default values, without CRDs. Containers run a stand-in.
func Community(chart string, options Options) ([]*unstructured.Unstructured, error) {
	var charts map[string]communityChart
	if err := yaml.UnmarshalStrict([]byte(options.named(communityFacts)), &charts); err != nil {
		return nil, fmt.Errorf("read community.yaml: %w", err)
	}
	facts, ok := charts[chart]
	if !ok {
		return nil, fmt.Errorf("community.yaml has no chart %s", chart)
	}
	var made []*unstructured.Unstructured
	add := func(kind, name string, fields map[string]any) {
		metadata := map[string]any{"name": name, "labels": map[string]any{"app.kubernetes.io/part-of": facts.Name, "app.kubernetes.io/instance": options.Release}}
		if !strings.HasPrefix(kind, "Cluster") {
			metadata["namespace"] = options.Namespace
		}
		object := map[string]any{"apiVersion": apiVersions()[kind], "kind": kind, "metadata": metadata}
		maps.Copy(object, fields)
		made = append(made, &unstructured.Unstructured{Object: object})
	}
	for _, name := range facts.Accounts {
		add("ServiceAccount", name, nil)
	}
	for _, name := range facts.ConfigMaps {
		add("ConfigMap", name, nil)
	}
	for _, name := range facts.Secrets {
		add("Secret", name, map[string]any{"type": "Opaque"})
	}
	for prefix, bindings := range map[string]map[string]string{"": facts.Bindings, "Cluster": facts.ClusterBindings} {
		for _, name := range slices.Sorted(maps.Keys(bindings)) {
			add(prefix+"Role", name, map[string]any{"rules": []any{}})
			add(prefix+"RoleBinding", name, map[string]any{
				"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": prefix + "Role", "name": name},
				"subjects": []any{map[string]any{"kind": "ServiceAccount", "name": bindings[name], "namespace": options.Namespace}},
			})
		}
	}
	for _, service := range facts.Services {
		add("Service", facts.Prefix+"-"+service.Name, map[string]any{"spec": service.spec(facts.labels(service.Name, options.Release))})
	}
	for _, workload := range facts.Workloads {
		name := strings.TrimSuffix(facts.Prefix+"-"+workload.Name, "-")
		add(workload.Kind, name, map[string]any{"spec": workload.spec(name, facts.labels(workload.Name, options.Release), options.Image)})
	}
	return made, nil
}

// labels returns the labels by which argo-helm's charts select the pods of a component.
func (c communityChart) labels(component, release string) map[string]any {
	return map[string]any{"app.kubernetes.io/name": strings.TrimSuffix(c.Name+"-"+component, "-"), "app.kubernetes.io/instance": release}
}

func (s communityService) spec(selector map[string]any) map[string]any {
	var ports []any
	for _, name := range slices.Sorted(maps.Keys(s.Ports)) {
		port := map[string]any{"port": s.Ports[name], "targetPort": target(fmt.Sprint(s.Targets[name])), "protocol": "TCP"}
		if name != "" {
			port["name"] = name
		}
		ports = append(ports, port)
	}
	return map[string]any{"type": "ClusterIP", "selector": selector, "ports": ports}
}

func (w communityWorkload) spec(name string, labels map[string]any, image string) map[string]any {
	if w.Component != "" {
		labels["app.kubernetes.io/component"] = w.Component
	}
	selector := maps.Clone(labels)
	if w.ByNameAlone {
		delete(selector, "app.kubernetes.io/instance")
	}
	spec := map[string]any{
		"replicas": cmp.Or(w.Replicas, 1), "selector": map[string]any{"matchLabels": selector},
		"template": template(labels, w.Account, standInContainer(cmp.Or(w.Name, name), w.Ports, image)),
	}
	if w.RevisionHistoryLimit != 0 {
		spec["revisionHistoryLimit"] = w.RevisionHistoryLimit
	}
	if w.Recreate {
		spec["strategy"] = map[string]any{"type": "Recreate"}
	}
	if w.Kind == "StatefulSet" {
		spec["serviceName"] = name
	}
	return spec
}
