// Package facts reduces Kubernetes objects to facts: what an object provides to others, and what a container gets. Each fact is one name and one
// value, so that two charts can be compared fact by fact, however their templates are written.
package facts

import (
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Object is the name of an object. The namespace is omitted: a release has one.
type Object struct{ Kind, Name string }

// String returns the object as kubectl names it.
func (o Object) String() string { return o.Kind + "/" + o.Name }

// Fact is the name of a fact. Container is "-" if the fact is not of a container.
type Fact struct {
	Object
	Container, Aspect, Key string
}

// None is the container in facts that are not of a container.
const None = "-"

// String returns the fact in the order of the table's columns.
func (f Fact) String() string {
	where := f.Object.String()
	if f.Container != None {
		where += " container " + f.Container
	}
	return fmt.Sprintf("%s: %s %q", where, f.Aspect, f.Key)
}

// Facts maps facts to their values.
type Facts map[Fact]string

// maker collects the facts of one object.
type maker struct {
	object  Object
	around  surroundings
	release Release
	facts   Facts
}

// of returns the facts of an object in its surroundings.
func of(object *unstructured.Unstructured, around surroundings, release Release) Facts {
	m := &maker{object: nameOf(object), around: around, release: release, facts: Facts{}}
	m.collect(fields(object.Object))
	normal := Facts{}
	for fact, value := range m.facts {
		fact.Name, fact.Container, fact.Key = release.normal(fact.Name), release.normal(fact.Container), release.normal(fact.Key)
		normal[fact] = release.normal(value)
	}
	return normal
}

func nameOf(object *unstructured.Unstructured) Object {
	return Object{Kind: object.GetKind(), Name: object.GetName()}
}

var space = regexp.MustCompile(`\s+`)

// add records a fact of the object itself.
func (m *maker) add(aspect, key string, value any) { m.addIn(None, aspect, key, value) }

// addIn records a fact of a container. The value of a multi-line text is its number of lines: its content becomes separate facts.
func (m *maker) addIn(container, aspect, key string, value any) {
	short := strings.TrimSpace(text(value))
	if strings.Contains(short, "\n") {
		short = fmt.Sprintf("(text of %d lines)", strings.Count(short, "\n")+1)
	}
	fact := Fact{Object: m.object, Container: container, Aspect: aspect, Key: strings.TrimSpace(space.ReplaceAllString(key, " "))}
	m.facts[fact] = space.ReplaceAllString(short, " ")
}

func (m *maker) collect(object fields) {
	spec := object.sub("spec")
	kind := m.object.Kind
	m.add("object", "apiVersion", object.text("apiVersion"))
	m.metadata(object.sub("metadata"))
	switch {
	case IsWorkload(kind):
		m.workload(spec)
	case kind == "Role" || kind == "ClusterRole":
		m.rules(object.list("rules"))
	case kind == "RoleBinding" || kind == "ClusterRoleBinding":
		m.binding(object)
	case kind == "ServiceAccount":
		m.present("serviceAccount", object, "automountServiceAccountToken")
	case kind == "Service":
		m.service(spec)
	case kind == "ConfigMap":
		m.configMap(object.sub("data"))
	case kind == "Secret":
		m.secret(object)
	case kind == "Ingress":
		m.ingress(spec)
	case kind == "HTTPRoute":
		m.httpRoute(spec)
	case kind == "HorizontalPodAutoscaler":
		m.autoscaler(spec)
	case kind == "PodDisruptionBudget":
		m.present("strategy", spec, "minAvailable", "maxUnavailable")
		m.each("selector", spec.sub("selector").sub("matchLabels"))
	case kind == "CustomResourceDefinition":
		m.definition(spec)
	default:
		m.rest(object)
	}
}

// rest records the leaves of an object whose kind has no specific facts.
func (m *maker) rest(object fields) {
	kept := fields{}
	for key, value := range object {
		switch key {
		case "apiVersion", "kind", "metadata", "status":
		default:
			kept[key] = value
		}
	}
	m.leaves("spec", kept)
}

// present records the existing keys, whatever their value: 0, false and null are values.
func (m *maker) present(aspect string, from fields, keys ...string) {
	for _, key := range keys {
		if value, ok := from[key]; ok {
			m.add(aspect, key, value)
		}
	}
}

func (m *maker) each(aspect string, from fields) {
	for key, value := range from {
		m.add(aspect, key, value)
	}
}

func (m *maker) leaves(aspect string, from any) {
	for path, value := range leaves(from) {
		m.add(aspect, path, value)
	}
}
