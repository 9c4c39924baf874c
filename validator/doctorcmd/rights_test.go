package doctorcmd_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
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
	var texts []string
	for _, block := range commands.Blocks(string(page)) {
		if block.Language == "yaml" {
			texts = append(texts, block.Text)
		}
	}
	return permissions(t, texts, func(role rbacv1.ClusterRole) bool { return role.Name == name })
}

// permissions returns the permissions of the ClusterRole and the Role among objects that are selected.
func permissions(t *testing.T, objects []string, selected func(rbacv1.ClusterRole) bool) map[string]bool {
	t.Helper()
	all, roles := map[string]bool{}, 0
	for _, text := range objects {
		var role rbacv1.ClusterRole
		scope := map[string]string{"ClusterRole": "cluster", "Role": "namespace"}
		if yaml.Unmarshal([]byte(text), &role) != nil || scope[role.Kind] == "" || !selected(role) {
			continue
		}
		roles++
		for _, rule := range role.Rules {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					all[fmt.Sprintf("%s %s/%s %s", scope[role.Kind], rule.APIGroups[0], resource, verb)] = true
				}
			}
		}
	}
	require.Equal(t, 2, roles, "there is a ClusterRole and a Role")
	return all
}

// compare compares permissions with those that requests have needed.
func compare(t *testing.T, granted, asked map[string]bool) {
	t.Helper()
	wide := func(permission string) string { return strings.Replace(permission, "namespace ", "cluster ", 1) }
	for one := range asked {
		assert.True(t, granted[one] || granted[wide(one)], "the role lacks %s", one)
	}
	assert.Greater(t, len(asked), 40)
	for _, one := range slices.Sorted(maps.Keys(granted)) {
		assert.True(t, asked[one], "nothing needs %s", one)
	}
}

// The role of the CronJob is what the command asks for without a bundle, and Events.
func TestTheRoleOfTheCronJobIsWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	asked := map[string]bool{"namespace events.k8s.io/events create": true}
	for _, name := range []string{"tunnel", "ingress", "gateway", "ha", "everything-on"} {
		w := healthy(t, name)
		w.server("{}")
		w.Add(tree{
			"apiVersion": "v1", "kind": "Secret", "metadata": tree{"name": "staging", "namespace": namespace, "labels": tree{"argocd.argoproj.io/secret-type": "cluster"}},
			"data": tree{"server": base64.StdEncoding.EncodeToString([]byte("https://staging.invalid")), "config": base64.StdEncoding.EncodeToString([]byte(`{"execProviderConfig": {}}`))},
		})
		_, _, failed := announced(t, w, "--events")
		require.NotContains(t, failed, "cannot")
		for _, path := range w.Reads() {
			if one := permission(path); one != "" {
				asked[one] = true
			}
		}
	}
	compare(t, permissions(t, strings.Split(rendered(t, "everything-on").Manifest, "\n---"), func(role rbacv1.ClusterRole) bool {
		return role.Labels["app.kubernetes.io/name"] == "runtime-doctor"
	}), asked)
}

// The CronJob of backup has the role of the security page, which a test of the command compares with its requests.
func TestTheRoleOfTheBackup(t *testing.T) {
	t.Parallel()
	assert.Equal(t, documented(t, "runtime-backup"), permissions(t, strings.Split(rendered(t, "everything-on").Manifest, "\n---"), func(role rbacv1.ClusterRole) bool {
		return role.Labels["app.kubernetes.io/name"] == "runtime-backup"
	}))
}

// In a single namespace the CronJob skips the checks that need permissions in the cluster, and no other: the rest answers.
func TestTheCronJobOfASingleNamespace(t *testing.T) {
	t.Parallel()
	template, err := os.ReadFile(filepath.Join(root, "charts", "gitops-runtime", "templates", "day-two", "doctor.yaml"))
	require.NoError(t, err)
	list := regexp.MustCompile(`ternary \(list ([^)]*)\)`).FindSubmatch(template)
	require.NotNil(t, list)
	skipped := strings.Fields(strings.ReplaceAll(string(list[1]), `"`, ""))
	w := healthy(t, "single-namespace")
	for _, wide := range []string{"/api/v1/nodes", "/kube-node-lease/", "/apis/apps/v1/deployments", "/apiextensions.k8s.io/v1/customresourcedefinitions", "/admissionregistration.k8s.io/", "/clusterroles", "/kube-system/", "/v1alpha1/applications", "/v1alpha1/event", "/v1alpha1/sensors", "/ingressclasses", "/gateways"} {
		w.Denied[wide] = 403
	}
	code, out := examine(t, w)
	assert.Equal(t, 5, code)
	for _, one := range skipped {
		assert.Contains(t, out, one, "it needs no skip")
	}
	code, out = examine(t, w, "--skip", strings.Join(skipped, ","))
	assert.Equal(t, 0, code, out)
	assert.Empty(t, out)
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
	compare(t, granted, asked)
}
