package security

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/tests/golden"
)

// binding is the subjects of a role, and its scope.
type binding struct {
	role     string // role is the key of the role's document.
	scope    string
	why      string
	subjects []string
}

func bindingOf(document golden.Document) (binding, error) {
	object := document.Object
	kind, _, err := unstructured.NestedString(object.Object, "roleRef", "kind")
	if err != nil {
		return binding{}, fmt.Errorf("%s: %w", document.Key(), err)
	}
	name, _, err := unstructured.NestedString(object.Object, "roleRef", "name")
	if err != nil {
		return binding{}, fmt.Errorf("%s: %w", document.Key(), err)
	}
	made := binding{role: kind + " " + name, scope: "cluster"}
	if object.GetKind() == "RoleBinding" {
		made.scope = "namespace"
		if namespace := object.GetNamespace(); namespace != "" && namespace != golden.Namespace {
			made.scope = "namespace " + namespace
		}
	}
	for _, line := range strings.Split(document.Text, "\n") {
		if words, ok := strings.CutPrefix(line, "# "); ok && !strings.HasPrefix(words, "Source:") {
			made.why = words
		}
	}
	subjects, _, err := unstructured.NestedSlice(object.Object, "subjects")
	if err != nil {
		return binding{}, fmt.Errorf("%s: %w", document.Key(), err)
	}
	for _, subject := range subjects {
		if fields, ok := subject.(map[string]any); ok {
			made.subjects = append(made.subjects, fmt.Sprint(fields["name"]))
		}
	}
	return made, nil
}
