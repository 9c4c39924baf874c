// Package published turns facts of the published chart, or of argo-helm's charts, into manifests, so that a test can upgrade a release of them to a
// chart of this repository. testdata has what charts render with their defaults; gitops-runtime-0.24.0.tsv is the published chart with the
// community's argo-cd 8.0.6, argo-events 2.4.8, argo-rollouts 2.37.3 and argo-workflows 0.45.15 instead of Codefresh's builds of these versions.
// Containers run a stand-in that only responds to probes.
package published

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/internal/facts"
	"gitops-runtime/tests/contract"
)

//go:embed testdata/*.tsv
var charts embed.FS

// Options name the release of the manifests.
type Options struct {
	// Mode is the mode of values of the published chart; contract.Base if empty.
	Mode                                 string
	Release, Namespace, Runtime, Account string
	Image                                string            // Image is the image of every container.
	Secrets                              map[string]string // Secrets are values of keys of Secrets, by NAME/KEY.
}

// Objects returns what the published chart installs in a mode, in the order of kind and name, without hooks.
func Objects(options Options) ([]*unstructured.Unstructured, error) {
	if options.Mode == "" {
		options.Mode = contract.Base
	}
	rendered, err := contract.Rendered(contract.Version, options.Mode)
	if err != nil {
		return nil, err
	}
	roles, err := contract.Rendered(contract.Version+"-settings", contract.Base) // whole renders have permissions of accounts instead
	if err != nil {
		return nil, err
	}
	all := maps.Clone(rendered)
	for object, paths := range roles {
		if kind, _, _ := strings.Cut(object, "/"); strings.Contains(kind, "Role") {
			all[object] = paths
		}
	}
	return options.objects(all)
}

// Chart returns what a chart of testdata installs with its default values, without CRDs: one of argo-helm's, or "gitops-runtime-0.24.0".
func Chart(chart string, options Options) ([]*unstructured.Unstructured, error) {
	text, err := charts.ReadFile("testdata/" + chart + ".tsv")
	if err != nil {
		return nil, fmt.Errorf("facts of the chart %s: %w", chart, err)
	}
	all := facts.Facts{}
	for line := range strings.Lines(string(text)) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(columns) != 3 {
			return nil, fmt.Errorf("testdata/%s.tsv: %q has no three columns", chart, line)
		}
		if columns[0] != "object" {
			all.Add(columns[0], columns[1], columns[2])
		}
	}
	return options.objects(all)
}

func (o Options) objects(all facts.Facts) ([]*unstructured.Unstructured, error) {
	names := strings.NewReplacer("rlsname", o.Release, "nspname", o.Namespace, "rtmname", o.Runtime, "accaccaccaccaccaccaccacc", o.Account)
	var made []*unstructured.Unstructured
	for _, name := range slices.Sorted(maps.Keys(all)) {
		paths := all[name]
		if strings.HasPrefix(name, "RIGHTS ") || paths["annotation.helm.sh/hook"] != "" {
			continue
		}
		renamed := map[string]string{}
		for path, value := range paths {
			renamed[names.Replace(path)] = names.Replace(value)
		}
		object, err := o.object(names.Replace(name), renamed)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		made = append(made, &unstructured.Unstructured{Object: object})
	}
	return made, nil
}

type tree = map[string]any

func (o Options) object(name string, paths map[string]string) (tree, error) {
	kind, name, _ := strings.Cut(name, "/")
	metadata := tree{"name": name}
	if !strings.HasPrefix(kind, "Cluster") {
		metadata["namespace"] = o.Namespace
	}
	object := tree{"apiVersion": apiVersion(kind), "kind": kind, "metadata": metadata}
	pod := newPod(o.Image)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		value := paths[path]
		section, rest, _ := strings.Cut(path, ".")
		var err error
		switch {
		case section == "label":
			set(object, []string{"metadata", "labels", rest}, value)
		case section == "annotation":
			set(object, []string{"metadata", "annotations", rest}, value)
		case section == "data":
			o.data(object, kind, name, rest, value)
		case section == "port":
			err = port(object, rest, value)
		case strings.HasPrefix(path, "c[") || strings.HasPrefix(path, "init[") || strings.HasPrefix(section, "pod") || strings.HasPrefix(path, "volume("):
			err = pod.add(path, value)
		case section != "namespace":
			set(object, keys(path), typed(value))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	switch kind {
	case "Deployment", "StatefulSet":
		set(object, []string{"spec", "template"}, pod.template())
	case "Role", "ClusterRole":
		object["rules"] = []any{}
	}
	return object, nil
}

// apiVersion returns the API version of kinds whose facts do not have it.
func apiVersion(kind string) string {
	switch {
	case strings.Contains(kind, "Role"):
		return "rbac.authorization.k8s.io/v1"
	case kind == "Deployment" || kind == "StatefulSet":
		return "apps/v1"
	}
	return "v1"
}

// data sets a key of a Secret, or of a ConfigMap whose text is one value.
func (o Options) data(object tree, kind, name, key, value string) {
	if kind == "Secret" {
		if given, ok := o.Secrets[name+"/"+key]; ok {
			value = given
		}
		set(object, []string{"stringData", key}, value)
	} else if !strings.ContainsAny(key, "[]") {
		set(object, []string{"data", key}, value)
	}
}

// port adds a port of a Service: NAME -> TARGET PROTOCOL.
func port(object tree, number, value string) error {
	parsed, err := strconv.ParseInt(number, 10, 32)
	name, rest, _ := strings.Cut(value, " -> ")
	target, protocol, ok := strings.Cut(rest, " ")
	if err != nil || !ok {
		return fmt.Errorf("%q is not a port", value)
	}
	made := tree{"port": parsed, "targetPort": typed(target), "protocol": protocol}
	if name != "" {
		made["name"] = name
	}
	spec, _ := object["spec"].(tree)
	ports, _ := spec["ports"].([]any)
	set(object, []string{"spec", "ports"}, append(ports, made))
	return nil
}

// typed returns a scalar: a number or a boolean if the text is one.
func typed(value string) any {
	if number, err := strconv.ParseInt(value, 10, 64); err == nil {
		return number
	}
	switch value {
	case "true", "false":
		return value == "true"
	case "{}":
		return tree{}
	case "[]":
		return []any{}
	}
	return value
}

// keys returns the keys of a path. Below a map of labels, the rest of a path is one key, which may contain dots.
func keys(path string) []string {
	for _, labels := range []string{"matchLabels.", "nodeSelector.", "spec.selector."} {
		if before, after, ok := strings.Cut(path, labels); ok && !strings.HasPrefix(after, "matchLabels.") && !strings.HasPrefix(after, "matchExpressions") {
			return append(strings.Split(before+strings.TrimSuffix(labels, "."), "."), after)
		}
	}
	return strings.Split(path, ".")
}

// set sets a field; a key NAME[ITEM] is that of a list's item, by number or name.
func set(object tree, keys []string, value any) {
	key, item, isItem := strings.Cut(keys[0], "[")
	if !isItem || strings.Contains(key, "/") {
		if len(keys) == 1 {
			object[keys[0]] = value
			return
		}
		below, ok := object[keys[0]].(tree)
		if !ok {
			below = tree{}
			object[keys[0]] = below
		}
		set(below, keys[1:], value)
		return
	}
	list, _ := object[key].([]any)
	at, err := strconv.Atoi(strings.TrimSuffix(item, "]"))
	if err != nil { // by name
		at = slices.IndexFunc(list, func(each any) bool { return each.(tree)["name"] == strings.TrimSuffix(item, "]") })
		if at < 0 {
			at = len(list)
		}
	}
	for len(list) <= at {
		list = append(list, nil)
	}
	object[key] = list
	if len(keys) == 1 {
		list[at] = value
		return
	}
	below, ok := list[at].(tree)
	if !ok {
		below = tree{}
		list[at] = below
	}
	set(below, keys[1:], value)
}

// pod collects the facts of a pod template. Its containers are stand-ins, which need neither programs nor files.
type pod struct {
	image      string
	metadata   tree
	spec       tree
	containers map[string]tree
}

func newPod(image string) *pod {
	return &pod{image: image, metadata: tree{}, spec: tree{"serviceAccountName": "default"}, containers: map[string]tree{}}
}

func (p *pod) add(path, value string) error {
	section, rest, _ := strings.Cut(path, ".")
	switch section {
	case "podLabel":
		set(p.metadata, []string{"labels", rest}, value)
	case "podAnnotation":
		set(p.metadata, []string{"annotations", rest}, value)
	case "pod":
		if !strings.HasPrefix(rest, "securityContext") && !strings.HasPrefix(rest, "automount") {
			set(p.spec, keys(rest), typed(value))
		}
	}
	name, field, ok := strings.Cut(strings.TrimPrefix(path, "c["), "].")
	if !ok || !strings.HasPrefix(path, "c[") {
		return nil
	}
	if p.containers[name] == nil {
		p.containers[name] = tree{"args": []any{"health", "-listen", ":12345"}, "ports": []any{}} // one port at least
	}
	if requested, ok := strings.CutPrefix(field, "resources.requests."); ok { // an upgrade needs room beside them
		set(p.containers[name], []string{"resources", "requests", requested}, value)
	}
	number, isPort := strings.CutPrefix(field, "port.")
	if !isPort {
		return nil
	}
	parsed, err := strconv.ParseInt(strings.TrimSuffix(number, "/TCP"), 10, 32)
	if err != nil {
		return fmt.Errorf("%q is not NUMBER/TCP", number)
	}
	made := tree{"containerPort": parsed, "protocol": "TCP"}
	if value != "" {
		made["name"] = value
	}
	of := p.containers[name]
	of["ports"] = append(of["ports"].([]any), made)
	of["args"] = append(of["args"].([]any), "-listen", fmt.Sprintf(":%d", parsed))
	return nil
}

// template returns a pod template of the Pod Security level restricted.
func (p *pod) template() tree {
	var containers []any
	for _, name := range slices.Sorted(maps.Keys(p.containers)) {
		made := tree{
			"name": name, "image": p.image, "resources": tree{"requests": tree{"cpu": "10m", "memory": "16Mi"}},
			"securityContext": tree{"allowPrivilegeEscalation": false, "capabilities": tree{"drop": []any{"ALL"}}},
		}
		maps.Copy(made, p.containers[name])
		containers = append(containers, made)
	}
	maps.Copy(p.spec, tree{
		"containers": containers, "automountServiceAccountToken": false,
		"securityContext": tree{"runAsNonRoot": true, "runAsUser": int64(65532), "seccompProfile": tree{"type": "RuntimeDefault"}},
	})
	return tree{"metadata": p.metadata, "spec": p.spec}
}
