package doctorcmd_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/commands"
)

// permission returns the permission that a request needs, as in "namespace apps/deployments list", "" for what every account may read.
func permission(path string) string {
	parts, group := strings.Split(strings.Trim(path, "/"), "/"), ""
	if parts[0] == "apis" && len(parts) > 1 {
		group, parts = parts[1], parts[1:]
	}
	if parts = parts[min(len(parts), 2):]; len(parts) == 0 {
		return "" // discovery and the version
	}
	scope := "cluster"
	if parts[0] == "namespaces" && len(parts) > 2 {
		scope = "namespace"
		if parts[1] != namespace {
			scope = "cluster"
		}
		parts = parts[2:]
	}
	resource, verb := parts[0], "list"
	if len(parts) > 1 {
		verb = "get"
	}
	if len(parts) > 2 {
		resource += "/" + parts[2]
	}
	return fmt.Sprintf("%s %s/%s %s", scope, group, resource, verb)
}

// documented returns the permissions of the roles on the security page with a name.
func documented(t *testing.T, name string) map[string]bool {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs", "security.md"))
	require.NoError(t, err)
	all, roles := map[string]bool{}, 0
	for _, block := range commands.Blocks(string(page)) {
		var role rbacv1.ClusterRole
		if block.Language != "yaml" || yaml.Unmarshal([]byte(block.Text), &role) != nil || role.Name != name {
			continue
		}
		roles++
		scope := map[string]string{"ClusterRole": "cluster", "Role": "namespace"}[role.Kind]
		for _, rule := range role.Rules {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					all[fmt.Sprintf("%s %s/%s %s", scope, rule.APIGroups[0], resource, verb)] = true
				}
			}
		}
	}
	require.Equal(t, 2, roles, "the security page has a ClusterRole and a Role %s", name)
	return all
}

// The role of the security page is what the command and the bundle ask for, and nothing else.
func TestTheRoleIsWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	granted, asked := documented(t, "runtime-doctor"), map[string]bool{}
	for _, name := range []string{"tunnel", "ingress", "gateway", "ha", "everything-on"} {
		w := healthy(t, name)
		w.server("{}")
		bundled(t, w)
		for _, path := range w.Reads() {
			if one := permission(path); one != "" {
				asked[one] = true
			}
		}
	}
	wide := func(permission string) string { return strings.Replace(permission, "namespace ", "cluster ", 1) }
	for one := range asked {
		assert.True(t, granted[one] || granted[wide(one)], "the role lacks %s", one)
	}
	assert.Greater(t, len(asked), 40)
	for _, one := range slices.Sorted(maps.Keys(granted)) {
		assert.True(t, asked[one], "nothing needs %s", one)
	}
}
