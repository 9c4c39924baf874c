//go:build e2e && nightly

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"gitops-runtime/tests/e2e/addons"
	"gitops-runtime/tests/e2e/install"
)

// scaledNamespace is the target namespace of TestScale's Applications; clean removes it.
const scaledNamespace = "e2e-scale"

// scaled are the Applications of TestScale.
var scaled = metav1.ListOptions{LabelSelector: "e2e=scale"}

// scaledChart is the Helm chart that they deploy: three ConfigMaps each, to fit a small machine.
var scaledChart = map[string]string{
	"Chart.yaml":  "{apiVersion: v2, name: scale, version: 1.0.0}\n",
	"values.yaml": "said: nothing\n",
	"templates/configmaps.yaml": `{{- range tuple "one" "two" "three" }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ $.Release.Name }}-{{ . }}"}
data: {said: {{ $.Values.said | quote }}}
{{- end }}
`,
}

// prepareApplications adds the chart to the Git server.
func (s *scale) prepareApplications(t *testing.T) {
	s.apply(t, namespaceOf(scaledNamespace))
	for path, text := range scaledChart {
		s.commit(t, path, text)
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			assert.NoError(t, s.client.CoreV1().RESTClient().Delete().AbsPath(s.fileOfGit(path)).Do(ctx).Error())
		})
	}
}

// fileOfGit returns the path of a file of the chart on the Git server, through the API server.
func (s *scale) fileOfGit(path string) string {
	return fmt.Sprintf("/api/v1/namespaces/%s/services/git-server:http/proxy/test/apps.git/scale/%s", addons.Namespace, path)
}

// commit changes a file of the chart, and returns the ID of the commit.
func (s *scale) commit(t *testing.T, path, text string) string {
	t.Helper()
	reply, err := s.client.CoreV1().RESTClient().Put().AbsPath(s.fileOfGit(path)).Body([]byte(text)).DoRaw(t.Context())
	require.NoError(t, err, string(reply))
	var made struct{ Commit string }
	require.NoError(t, json.Unmarshal(reply, &made))
	require.NotEmpty(t, made.Commit)
	return made.Commit
}

// createApplications creates Applications up to a count, with automated sync, and waits until all are synced and healthy.
func (s *scale) createApplications(t *testing.T, from, count int) {
	forEach(t, from, count, func(ctx context.Context, i int) error {
		application := documents(t, fmt.Sprintf(`apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: e2e-scale-%03d, namespace: codefresh, labels: {e2e: scale}}
spec:
  project: default
  source: {repoURL: http://git-server.platform.svc.cluster.local/apps.git, path: scale, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: %s}
  syncPolicy:
    automated: {prune: true, selfHeal: true}`, i, scaledNamespace))[0]
		_, err := s.objects.Resource(argo("applications")).Namespace(install.Namespace).Create(ctx, application, metav1.CreateOptions{})
		return err
	})
	s.allSynced(t, count, "")
}

// commitToApplications changes what all Applications deploy, refreshes each, as a webhook of the Git server would, and waits until all have synced
// the commit.
func (s *scale) commitToApplications(t *testing.T, count int) {
	commit := s.commit(t, "values.yaml", fmt.Sprintf("said: something to %d\n", count))
	refresh := []byte(`{"metadata":{"annotations":{"argocd.argoproj.io/refresh":"normal"}}}`)
	forEach(t, 0, count, func(ctx context.Context, i int) error {
		_, err := s.objects.Resource(argo("applications")).Namespace(install.Namespace).
			Patch(ctx, fmt.Sprintf("e2e-scale-%03d", i), types.MergePatchType, refresh, metav1.PatchOptions{})
		return err
	})
	s.allSynced(t, count, commit)
	maps, err := s.client.CoreV1().ConfigMaps(scaledNamespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	updated := 0
	for _, one := range maps.Items {
		if one.Data["said"] == fmt.Sprintf("something to %d", count) {
			updated++
		}
	}
	require.Equal(t, 3*count, updated, "ConfigMaps with the committed value")
}

// allSynced waits until all Applications are synced, to a commit if there is one, and healthy, and logs when half of them were.
func (s *scale) allSynced(t *testing.T, count int, commit string) {
	t.Helper()
	begun := time.Now()
	var half, first time.Duration
	s.until(t, "all Applications are synced and healthy", 15*time.Minute, func(ctx context.Context) error {
		list, err := s.objects.Resource(argo("applications")).Namespace(install.Namespace).List(ctx, scaled)
		if err != nil {
			return err
		}
		synced := 0
		var waiting *unstructured.Unstructured
		for i := range list.Items {
			one := &list.Items[i]
			if field(one, "status", "sync", "status") == "Synced" && field(one, "status", "health", "status") == "Healthy" &&
				field(one, "status", "operationState", "phase") == "Succeeded" && (commit == "" || field(one, "status", "sync", "revision") == commit) {
				synced++
				continue
			}
			waiting = one
		}
		if synced > 0 && first == 0 {
			first = time.Since(begun)
		}
		if 2*synced >= count && half == 0 {
			half = time.Since(begun)
		}
		if synced < count {
			return fmt.Errorf("%d of %d, %s has the status %v", synced, count, waiting.GetName(), waiting.Object["status"])
		}
		return nil
	})
	t.Logf("of %d Applications the first was synced after %.0f s, half of them after %.0f s, all after %.0f s", count, first.Seconds(), half.Seconds(),
		time.Since(begun).Seconds())
}

// forEach does something for each number from first to before end, sixteen at a time.
func forEach(t *testing.T, first, end int, do func(ctx context.Context, i int) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	next := make(chan int)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for i := range next {
				assert.NoError(t, do(ctx, i))
			}
		})
	}
	for i := first; i < end; i++ {
		next <- i
	}
	close(next)
	group.Wait()
	require.False(t, t.Failed())
}
