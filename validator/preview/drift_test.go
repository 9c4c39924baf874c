package preview_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"helm.sh/helm/v3/pkg/release"

	"gitops-runtime/validator/preview"
)

// The last newline of a text at the end of a document belongs to the text, as for Kubernetes.
func TestTextsAtTheEndOfDocuments(t *testing.T) {
	t.Parallel()
	const document = "---\n# Source: a/templates/a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  file: |\n    line\n"
	parts, err := preview.Parts(&release.Release{Namespace: "ns", Manifest: document + document})
	require.NoError(t, err)
	require.Len(t, parts, 2)
	for _, part := range parts {
		assert.Empty(t, part.Drift(map[string]any{"data": map[string]any{"file": "line\n"}}))
		assert.Len(t, part.Drift(map[string]any{"data": map[string]any{"file": "line"}}), 1)
	}
}
