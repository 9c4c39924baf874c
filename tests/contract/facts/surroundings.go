package facts

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// surroundings are the properties of other objects that an object's facts depend on.
type surroundings struct {
	bound map[Object]*holders // of roles
	ports []podPort
}

type podPort struct {
	labels fields
	name   string
	number any
}

func surroundingsOf(objects map[Object]*unstructured.Unstructured, release Release) surroundings {
	s := surroundings{bound: map[Object]*holders{}}
	for name, object := range objects {
		switch {
		case name.Kind == "RoleBinding" || name.Kind == "ClusterRoleBinding":
			s.bind(name.Kind, object.Object, release)
		case IsWorkload(name.Kind):
			pod := template(name.Kind, fields(object.Object).sub("spec"))
			for _, container := range pod.sub("spec").subs("containers") {
				for _, port := range container.subs("ports") {
					s.ports = append(s.ports, podPort{pod.sub("metadata").sub("labels"), port.text("name"), port["containerPort"]})
				}
			}
		}
	}
	return s
}

// bind records the accounts of a binding. A binding in another namespace grants nothing in the release's namespace.
func (s *surroundings) bind(kind string, binding fields, release Release) {
	scope := "cluster"
	if kind == "RoleBinding" {
		scope = "namespaced"
		if in := binding.sub("metadata").or("namespace", release.Namespace); in != release.Namespace {
			return
		}
	}
	role := Object{Kind: binding.sub("roleRef").text("kind"), Name: binding.sub("roleRef").text("name")}
	for _, subject := range binding.subs("subjects") {
		if subject.text("kind") != "ServiceAccount" || subject.or("namespace", release.Namespace) != release.Namespace {
			continue
		}
		if s.bound[role] == nil {
			s.bound[role] = &holders{scopes: map[string]bool{}, accounts: map[string]bool{}}
		}
		s.bound[role].scopes[scope] = true
		s.bound[role].accounts[subject.text("name")] = true
	}
}

// port returns the number of a named port of the pods that a selector selects, or the name if no pod has it.
func (s surroundings) port(selector fields, name string) any {
	var found any = name
	for _, port := range s.ports {
		if port.name == name && selects(selector, port.labels) {
			found = port.number
		}
	}
	return found
}

func selects(selector, labels fields) bool {
	for key, value := range selector {
		if labels[key] != value {
			return false
		}
	}
	return true
}
