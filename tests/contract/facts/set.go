package facts

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Set contains the facts of a release's objects.
type Set struct {
	release Release
	objects map[Object]*unstructured.Unstructured // by their rendered names
	facts   map[Object]Facts                      // by their normalized names
	around  surroundings
}

// Of returns the facts of objects, including hooks.
func Of(objects []unstructured.Unstructured, release Release) *Set {
	s := &Set{release: release, objects: map[Object]*unstructured.Unstructured{}, facts: map[Object]Facts{}}
	for i := range objects {
		s.objects[nameOf(&objects[i])] = &objects[i]
	}
	s.around = surroundingsOf(s.objects, release)
	for _, object := range s.objects {
		s.derive(object)
	}
	return s
}

func (s *Set) derive(object *unstructured.Unstructured) {
	name := nameOf(object)
	name.Name = s.release.normal(name.Name)
	s.facts[name] = s.Facts(object)
}

// Facts returns the facts of an object in the context of the set, which does not have to contain it.
func (s *Set) Facts(object *unstructured.Unstructured) Facts {
	return of(object, s.around, s.release)
}

// With returns the set with some objects replaced. Facts that depend on several objects are derived again: a role's permissions on its bindings, a
// Service's ports on pods.
func (s *Set) With(changed ...*unstructured.Unstructured) *Set {
	made := &Set{release: s.release, objects: maps.Clone(s.objects), facts: maps.Clone(s.facts)}
	bindings, pods := false, false
	for _, object := range changed {
		made.objects[nameOf(object)] = object
		kind := object.GetKind()
		bindings = bindings || kind == "RoleBinding" || kind == "ClusterRoleBinding"
		pods = pods || IsWorkload(kind)
	}
	made.around = surroundingsOf(made.objects, s.release)
	for _, object := range changed {
		made.derive(object)
	}
	for name, object := range made.objects {
		if bindings && (name.Kind == "Role" || name.Kind == "ClusterRole") || pods && name.Kind == "Service" {
			made.derive(object)
		}
	}
	return made
}

// Without returns the set as if an object were not rendered.
func (s *Set) Without(object *unstructured.Unstructured) *Set {
	made := &Set{release: s.release, objects: maps.Clone(s.objects), facts: maps.Clone(s.facts)}
	name := nameOf(object)
	delete(made.objects, name)
	name.Name = s.release.normal(name.Name)
	delete(made.facts, name)
	made.around = surroundingsOf(made.objects, s.release)
	for kind, object := range made.objects {
		if kind.Kind == "Role" || kind.Kind == "ClusterRole" || kind.Kind == "Service" {
			made.derive(object)
		}
	}
	return made
}

// Objects returns the facts by object.
func (s *Set) Objects() map[Object]Facts { return s.facts }

// Rendered returns the object of a name, nil if it does not exist.
func (s *Set) Rendered(name Object) *unstructured.Unstructured {
	for _, object := range s.objects {
		if object.GetKind() == name.Kind && s.release.normal(object.GetName()) == name.Name {
			return object
		}
	}
	return nil
}

// Get returns the value of a fact.
func (s *Set) Get(fact Fact) (string, bool) {
	value, ok := s.facts[fact.Object][fact]
	return value, ok
}
