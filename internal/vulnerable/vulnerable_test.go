package vulnerable_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gitops-runtime/internal/vulnerable"
)

func TestOf(t *testing.T) {
	t.Parallel()
	list, err := vulnerable.Read([]byte(`
date: "2026-01-01"
products:
  - name: P
    images: [quay.io/a/b]
    vulnerabilities:
      - {id: X-1, severity: high, affected: "<1.2.3", fixed: 1.2.3, found: advisory, summary: s, source: "https://example.com"}
`))
	require.NoError(t, err)
	for _, test := range []struct {
		repository, tag string
		found           int
		known           bool
	}{
		{"quay.io/a/b", "v1.2.2-alpine3", 1, true}, {"quay.io/a/b", "1.2.3", 0, true}, {"quay.io/a/b", "latest", 0, false}, {"quay.io/a/c", "1.0.0", 0, false},
	} {
		found, known := list.Of(test.repository, test.tag)
		assert.Len(t, found, test.found, test.tag)
		assert.Equal(t, test.known, known, test.tag)
	}
}
