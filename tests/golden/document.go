package golden

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Document is a rendered object and the text it was rendered as, comments included.
type Document struct {
	Text   string
	Object *unstructured.Unstructured
}

// Key tells objects of a release apart.
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
		return Document{}, fmt.Errorf("a rendered document is no YAML: %w:\n%s", err, text)
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

// Difference is how a case is kept: only the objects that are not the same in the base, and the names of those it lacks.
func Difference(base, documents []Document) string {
	same, have := map[string]string{}, map[string]bool{}
	for _, document := range base {
		same[document.Key()] = document.Text
	}
	var changed []Document
	for _, document := range documents {
		have[document.Key()] = true
		if same[document.Key()] != document.Text {
			changed = append(changed, document)
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "# %d objects are as in %s.yaml.\n", len(documents)-len(changed), Base)
	for _, document := range base {
		if !have[document.Key()] {
			fmt.Fprintf(&out, "# Not here: %s\n", document.Key())
		}
	}
	return out.String() + Text(changed)
}
