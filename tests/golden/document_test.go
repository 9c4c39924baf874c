package golden_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"gitops-runtime/tests/golden"
)

// firstDifference returns the first line that differs between two texts.
func firstDifference(want, got string) string {
	wanted, actual := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(wanted), len(actual)) {
		a, b := line(wanted, i), line(actual, i)
		if a != b {
			return fmt.Sprintf("line %d\n- %s\n+ %s", i+1, a, b)
		}
	}
	return ""
}

func line(lines []string, at int) string {
	if at < len(lines) {
		return lines[at]
	}
	return "(end)"
}

func document(kind, namespace, name, more string) golden.Document {
	return golden.Document{
		Text: fmt.Sprintf("kind: %s\nname: %s%s\n", kind, name, more),
		Object: &unstructured.Unstructured{Object: map[string]any{
			"kind": kind, "metadata": map[string]any{"name": name, "namespace": namespace},
		}},
	}
}

func TestDifference(t *testing.T) {
	t.Parallel()
	same := document("Role", golden.Namespace, "same", "")
	base := []golden.Document{same, document("Role", golden.Namespace, "changes", ""), document("Role", "kube-system", "goes", "")}
	documents := []golden.Document{same, document("Role", golden.Namespace, "changes", "!"), document("Role", golden.Namespace, "comes", "")}
	assert.Equal(t, `# 1 objects are as in tunnel.yaml.
# Not here: Role kube-system/goes
---
kind: Role
name: changes!
---
kind: Role
name: comes
`, golden.Difference(base, documents))
}

func TestFirstDifference(t *testing.T) {
	t.Parallel()
	assert.Empty(t, firstDifference("a\nb", "a\nb"))
	assert.Equal(t, "line 2\n- b\n+ c", firstDifference("a\nb", "a\nc"))
	assert.Equal(t, "line 2\n- b\n+ (end)", firstDifference("a\nb", "a"))
}
