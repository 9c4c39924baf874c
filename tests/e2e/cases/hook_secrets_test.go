//go:build e2e

package e2e_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"gitops-runtime/tests/e2e/install"
)

// side is one of two runtimes that are validated at the same time.
type side struct {
	namespace string
	canaries  map[string]string
	out       string
	err       error
	// seen are the texts that were observed during and after the hook, by location.
	mu   sync.Mutex
	seen map[string]string
}

// sideBySide checks that two hooks in two namespaces run at the same time, share no object, and have no permission in the other's namespace. Their
// credentials are only in the Secret created for the Job: not in another object, log, event or report.
func (e *environment) sideBySide(t *testing.T) {
	sides := []*side{{namespace: "e2e-side-one"}, {namespace: "e2e-side-two"}}
	var running sync.WaitGroup
	for _, s := range sides {
		e.namespace(t, s.namespace)
		file := s.values(t, e.ready.CAFile)
		running.Go(func() {
			s.out, s.err = e.tryInstall(t.Context(), e.local.Helm, install.Upgrade{Namespace: s.namespace, ValueFiles: []string{file}})
		})
	}
	done := make(chan struct{})
	go func() { running.Wait(); close(done) }()
	for _, s := range sides {
		e.hookRuns(t, s.namespace)
	}
	for _, s := range sides {
		e.mayLittle(t, s.namespace)
	}
	for over := false; !over; {
		select {
		case <-done:
			over = true
		case <-time.After(200 * time.Millisecond):
		}
		for _, s := range sides {
			require.NoError(t, e.look(t.Context(), s))
		}
	}
	var begun, ended []time.Time
	for _, s := range sides {
		require.NoError(t, s.err, s.out)
		assert.Contains(t, s.out, "ACC101  The platform platform.platform.svc.cluster.local rejects the user token")
		assert.Contains(t, s.out, "namespace "+s.namespace+", tunnel access")
		s.seen["Helm's output"], s.seen["the Job's log"] = s.out, e.kubectlOut(t, "logs", "jobs/validate-values", "-n", s.namespace)
		s.keptSecret(t)
		job, err := e.client.BatchV1().Jobs(s.namespace).Get(t.Context(), "validate-values", metav1.GetOptions{})
		require.NoError(t, err)
		begun = append(begun, job.Status.StartTime.Time)
		for _, condition := range job.Status.Conditions {
			ended = append(ended, condition.LastTransitionTime.Time)
		}
		e.leftAfterRefusal(t, s.namespace, "secrets/sh.helm.release.v1.refused.", "jobs/validate-values", "pods/validate-values-")
	}
	latest := slices.MaxFunc(begun, time.Time.Compare)
	earliest := slices.MinFunc(ended, time.Time.Compare)
	assert.True(t, latest.Before(earliest), "one began at %s, when the other had ended at %s", latest, earliest)
}

// values writes a values file with separate credentials: a token, a password, and a private key that was pasted next to the CA.
func (s *side) values(t *testing.T, caFile string) string {
	t.Helper()
	s.seen = map[string]string{}
	s.canaries = map[string]string{"token": "canary-token-" + s.namespace, "password": "canary-password-" + s.namespace, "CA key": "Y2FuYXJ5" + strings.ReplaceAll(s.namespace, "-", "")}
	ca, err := os.ReadFile(caFile)
	require.NoError(t, err)
	bundle := string(ca) + "-----BEGIN PRIVATE KEY-----\n" + s.canaries["CA key"] + "\n-----END PRIVATE KEY-----\n"
	text, err := yaml.Marshal(map[string]any{"global": map[string]any{
		"codefresh": map[string]any{
			"userToken": map[string]any{"token": s.canaries["token"]},
			"tls":       map[string]any{"caCerts": map[string]any{"secret": map[string]any{"create": true, "content": bundle}}},
		},
		"runtime": map[string]any{"gitCredentials": map[string]any{"password": map[string]any{"value": s.canaries["password"]}}},
	}})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "values.yaml")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	return file
}

// mayLittle records what the hook's service account may do, and verifies that it can only read, and only in its own namespace.
func (e *environment) mayLittle(t *testing.T, namespace string) {
	t.Helper()
	account := "--as=system:serviceaccount:" + namespace + ":validate-values"
	list := e.kubectlOut(t, "auth", "can-i", "--list", account, "-n", namespace)
	t.Logf("kubectl auth can-i --list %s -n %s\n%s", account, namespace, list)
	assert.Regexp(t, `(?m)^secrets +\[\] +\[codefresh-token\] +\[get\]$`, list)
	assert.NotContains(t, list, "[*]")
	other := e.kubectlOut(t, "auth", "can-i", "--list", account, "-n", "e2e-other")
	assert.NotContains(t, other, "secrets")
	assert.NotContains(t, other, "events")
}

// looked returns the kinds that are inspected while a hook runs.
func looked() []schema.GroupVersionResource {
	rbac := schema.GroupVersion{Group: "rbac.authorization.k8s.io", Version: "v1"}
	core := schema.GroupVersion{Version: "v1"}
	return []schema.GroupVersionResource{
		core.WithResource("pods"), core.WithResource("secrets"), core.WithResource("configmaps"), core.WithResource("serviceaccounts"), core.WithResource("events"),
		{Group: "batch", Version: "v1", Resource: "jobs"}, {Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies"},
		rbac.WithResource("roles"), rbac.WithResource("rolebindings"), rbac.WithResource("clusterroles"), rbac.WithResource("clusterrolebindings"),
	}
}

// look records the texts of a side's objects.
func (e *environment) look(ctx context.Context, s *side) error {
	for _, resource := range looked() {
		namespace := s.namespace
		if strings.HasPrefix(resource.Resource, "cluster") {
			namespace = ""
		}
		list, err := e.objects.Resource(resource).Namespace(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("list %s: %w", resource.Resource, err)
		}
		for _, item := range list.Items {
			if namespace == "" && !strings.HasPrefix(item.GetName(), s.namespace) {
				continue
			}
			if err := s.note(resource.Resource, item); err != nil {
				return err
			}
		}
	}
	return nil
}

// note records an object's text, with the entries of a Secret decoded. Helm's record of a release contains its values, whatever the chart.
func (s *side) note(resource string, item unstructured.Unstructured) error {
	if kind, _, _ := unstructured.NestedString(item.Object, "type"); kind == "helm.sh/release.v1" {
		return nil
	}
	text, err := json.Marshal(item.Object)
	if err != nil {
		return err
	}
	if resource == "secrets" {
		var secret corev1.Secret
		if err := json.Unmarshal(text, &secret); err != nil {
			return err
		}
		for _, entry := range secret.Data {
			text = append(text, entry...)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[resource+"/"+item.GetName()] += string(text)
	return nil
}

// keptSecret checks that the credentials of this side are in the Secret created for its Job, and in no other recorded text.
func (s *side) keptSecret(t *testing.T) {
	t.Helper()
	const place = "secrets/validate-values"
	for _, kind := range []string{"pods/validate-values-", "jobs/validate-values", "roles/validate-values", "clusterroles/" + s.namespace, "events/validate-values-", "serviceaccounts/validate-values", place} {
		assert.True(t, slices.ContainsFunc(keys(s.seen), func(where string) bool { return strings.HasPrefix(where, kind) }), "%s was not seen", kind)
	}
	for what, canary := range s.canaries {
		assert.Contains(t, s.seen[place], canary, what)
		for where, text := range s.seen {
			if where != place {
				assert.False(t, strings.Contains(text, canary) || strings.Contains(text, base64.StdEncoding.EncodeToString([]byte(canary))), "the %s is in %s", what, where)
			}
		}
	}
}

func keys(of map[string]string) []string {
	var names []string
	for name := range of {
		names = append(names, name)
	}
	return names
}
