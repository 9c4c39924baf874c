package golden

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Document is a rendered object and its text, including comments.
type Document struct {
	Text   string
	Object *unstructured.Unstructured
}

// Key identifies an object of a release.
func (d Document) Key() string {
	key := d.Object.GetKind() + " "
	if namespace := d.Object.GetNamespace(); namespace != "" && namespace != Namespace {
		key += namespace + "/"
	}
	return key + d.Object.GetName()
}

func read(text string) (Document, error) {
	var fields map[string]any
	if err := yaml.Unmarshal([]byte(text), &fields); err != nil {
		return Document{}, fmt.Errorf("a rendered document is not valid YAML: %w:\n%s", err, text)
	}
	if len(fields) == 0 {
		return Document{}, nil
	}
	return Document{Text: strings.TrimSpace(text) + "\n", Object: &unstructured.Unstructured{Object: fields}}, nil
}

// Text joins documents into one stream.
func Text(documents []Document) string {
	var out strings.Builder
	for _, document := range documents {
		out.WriteString("---\n" + document.Text)
	}
	return out.String()
}

// Difference returns the golden file of a case: the objects that differ from the base, and the names of the objects that it lacks.
func Difference(base, documents []Document) string {
	same, exists := map[string]string{}, map[string]bool{}
	for _, document := range base {
		same[document.Key()] = document.Text
	}
	var changed []Document
	for _, document := range documents {
		exists[document.Key()] = true
		if same[document.Key()] != document.Text {
			changed = append(changed, document)
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "# %d objects are as in %s.yaml.\n", len(documents)-len(changed), Base)
	for _, document := range base {
		if !exists[document.Key()] {
			fmt.Fprintf(&out, "# Not here: %s\n", document.Key())
		}
	}
	return out.String() + Text(changed)
}
