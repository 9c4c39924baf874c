package compat

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"gitops-runtime/internal/gomodule"
)

var documentedRequests = regexp.MustCompile(`null for requests of (\S+) CPU and (\S+) of memory, \{\} for none`)

// The default requests that the comment of a value documents are those that another value removes.
func TestDocumentedRequestsAreTheDefault(t *testing.T) {
	t.Parallel()
	root, err := gomodule.Root()
	require.NoError(t, err)
	seen := 0
	for _, chart := range []string{"argo-cd", "argo-events", "argo-rollouts", "argo-workflows", "gitops-runtime"} {
		text, err := os.ReadFile(filepath.Join(root, "charts", chart, "values.yaml"))
		require.NoError(t, err)
		var document yaml.Node
		require.NoError(t, yaml.Unmarshal(text, &document))
		rows, err := readRows(root, chart)
		require.NoError(t, err)
		eachComment(document.Content[0], nil, func(path []string, comment string) {
			documented := documentedRequests.FindStringSubmatch(comment)
			key := strings.Join(path, ".")
			row, known := rows[key]
			if documented == nil || !known {
				return
			}
			seen++
			what := strings.Join(row.What, "\n")
			assert.Contains(t, what, fmt.Sprintf("resources.requests.cpu: %q -> none", documented[1]), "%s of %s", key, chart)
			assert.Contains(t, what, fmt.Sprintf("resources.requests.memory: %q -> none", documented[2]), "%s of %s", key, chart)
		})
	}
	assert.Greater(t, seen, 20)
}

// eachComment calls do with the path of each value and the comment above it.
func eachComment(node *yaml.Node, path []string, do func(path []string, comment string)) {
	if node.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		at := append(append([]string{}, path...), node.Content[i].Value)
		do(at, node.Content[i].HeadComment)
		eachComment(node.Content[i+1], at, do)
	}
}
